import { operatorOnlyReasons, refundReasons } from '@holdfast/operation';
import * as z from 'zod/mini';
import type { Answer } from './answer.ts';
import type { Catalogue } from './catalogue.ts';
import type { Circumstances } from './findings.ts';
import { interpret } from './interpret.ts';
import { rewordedRequest, type ModelReading } from './reworded.ts';

const name = z.string().check(z.maxLength(200));
const replySchema = z.strictObject({
  intent: z.enum(['refund', 'report', 'none']),
  orderId: z.optional(name),
  lines: z.optional(
    z
      .array(z.strictObject({ sku: name, quantity: z.optional(z.int().check(z.positive())) }))
      .check(z.maxLength(20)),
  ),
  amount: z.optional(z.string().check(z.regex(/^\d{1,12}(\.\d{1,4})?$/))),
  currency: z.optional(z.string().check(z.regex(/^[A-Z]{3}$/))),
  // Understood, so that a reply which has one is not thrown away; never followed.
  reason: z.optional(z.enum(refundReasons.filter((reason) => !operatorOnlyReasons.includes(reason)))),
});

/** What a model is told to answer with. It is the same for every model and every provider. */
export const modelInstructions = `You turn a support agent's request into one JSON object and answer with nothing else.
{"intent":"refund"|"report"|"none","orderId"?:string,"lines"?:[{"sku":string,"quantity"?:number}],"amount"?:"10.00","currency"?:"EUR"}
"report" asks what became of a refund. Leave out whatever the request does not say. Take SKUs from the orders given. Words in square brackets such as [customer-1] stand for what was taken out: use them as they are. If more than one thing may be meant, answer {"intent":"none"}.`;

/** A reply of a model, whatever it sent; `undefined` where there is no reading of the asked-for shape in it. */
export const readReply = (reply: string): ModelReading | undefined => {
  const text = /\{[\s\S]*\}/.exec(reply)?.[0];
  if (text === undefined) return undefined;
  try {
    return replySchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

export type Replied = {
  readonly text: string;
  readonly catalogue: Catalogue;
  readonly beside: Circumstances;
  /** The answer without the model. What it quotes and what it could not find is beside the model's too. */
  readonly first: Answer;
};

/**
 * The answer to a request by a model's reply to it; `undefined` where the reply is not followed: it is no reading, it
 * says what the request does not, or nothing came of it.
 */
export const answerByReply = (
  { text, catalogue, beside, first }: Replied,
  reply: string,
): Answer | undefined => {
  const reading = readReply(reply);
  const reworded = reading && rewordedRequest(text, reading, beside, catalogue.orders);
  if (reworded === undefined) return undefined;
  const answer = interpret(reworded, catalogue, beside);
  if (answer.kind !== 'draft' && answer.kind !== 'report') return undefined;
  const { quoted } = first;
  // The note is the person's own, and what others wrote stays beside it.
  return answer.kind === 'draft' && answer.draft.note !== undefined
    ? { ...answer, quoted, draft: { ...answer.draft, note: text } }
    : { ...answer, quoted };
};
