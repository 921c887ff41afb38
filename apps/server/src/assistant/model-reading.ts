import type { KnownOrder, ModelReading } from '@holdfast/assistant';
import { operatorOnlyReasons, refundReasons } from '@holdfast/operation';
import { z } from 'zod';
import type { ModelSettings } from '../settings/settings.ts';

export type ModelUse = { readonly inputTokens: number; readonly outputTokens: number };
export type ModelAnswer = { readonly reading: ModelReading; readonly use: ModelUse };

/** `undefined`: no answer in time, or none of the asked-for shape. */
export type AskModel = (
  text: string,
  orders: readonly KnownOrder[],
  stop: AbortSignal,
) => Promise<ModelAnswer | undefined>;

/** What need not leave, does not: addresses, telephone and card numbers, and customers' names. */
export const redacted = (text: string, orders: readonly KnownOrder[]): string => {
  const names = [...new Set(orders.flatMap(({ customer }) => [customer.name, ...customer.name.split(/\s+/)]))]
    .filter((name) => name.length > 2)
    .toSorted((one, other) => other.length - one.length);
  const withoutNames = names.reduce((rest, name) => rest.replaceAll(name, '[customer]'), text);
  return withoutNames.replace(/[^\s@]+@[^\s@]+/g, '[e-mail]').replace(/\+?\d(?:[ -]?\d){8,}/g, '[number]');
};

const reading = z.strictObject({
  intent: z.enum(['refund', 'report', 'none']),
  orderId: z.string().max(200).optional(),
  lines: z
    .array(z.strictObject({ sku: z.string().max(200), quantity: z.number().int().positive().optional() }))
    .max(20)
    .optional(),
  amount: z
    .string()
    .regex(/^\d{1,12}(\.\d{1,4})?$/)
    .optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
  reason: z.enum(refundReasons.filter((reason) => !operatorOnlyReasons.includes(reason))).optional(),
});

const instructions = `You turn a support agent's request into one JSON object and answer with nothing else.
{"intent":"refund"|"report"|"none","orderId"?:string,"lines"?:[{"sku":string,"quantity"?:number}],"amount"?:"10.00","currency"?:"EUR","reason"?:"returned"|"damaged"|"not_received"|"wrong_item"|"duplicate_charge"|"goodwill"|"requested_by_customer"|"other"}
"report" asks what became of a refund. Leave out whatever the request does not say. Take SKUs from the orders given. If more than one thing may be meant, answer {"intent":"none"}.`;

const mostOrders = 3;

const promptOf = (text: string, orders: readonly KnownOrder[]): string =>
  JSON.stringify({
    request: redacted(text, orders),
    orders: orders.slice(0, mostOrders).map(({ id, lines }) => ({
      id,
      lines: lines.map(({ sku, title, quantity }) => ({ sku, title, quantity })),
    })),
  });

const readingIn = (answer: string): ModelReading | undefined => {
  const text = /\{[\s\S]*\}/.exec(answer)?.[0];
  if (text === undefined) return undefined;
  try {
    return reading.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

/** An endpoint behind the AI SDK: one request, no repeats, with an end in time and in length. */
export const modelAt = (
  { url, model, key, timeoutMs, mostTokens }: ModelSettings,
  onFailure: (error: unknown) => void,
): AskModel => {
  return async (text, orders, stop) => {
    try {
      // Loaded when it is first asked: most servers have none.
      const [{ generateText }, { createOpenAICompatible }] = await Promise.all([
        import('ai'),
        import('@ai-sdk/openai-compatible'),
      ]);
      const provider = createOpenAICompatible({
        name: 'assistant',
        baseURL: url,
        ...(key === undefined ? {} : { apiKey: key }),
      });
      const { text: answer, usage } = await generateText({
        model: provider(model),
        system: instructions,
        prompt: promptOf(text, orders),
        maxOutputTokens: mostTokens,
        maxRetries: 0,
        abortSignal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
      });
      const read = readingIn(answer);
      const use = { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 };
      return read === undefined ? undefined : { reading: read, use };
    } catch (error) {
      if (!stop.aborted) onFailure(error);
      return undefined;
    }
  };
};
