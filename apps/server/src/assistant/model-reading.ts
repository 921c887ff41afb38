import { modelInstructions, type KnownOrder } from '@holdfast/assistant';
import type { ModelUse } from '@holdfast/operation';
import type { LanguageModel } from 'ai';
import type { ModelSettings } from '../settings/model-settings.ts';
import { costOf } from './model-cost.ts';
import { redaction } from './redaction.ts';

/** What a model said, word for word with what was taken out put back, and what it used. */
export type ModelAnswer = { readonly reply: string; readonly use: Omit<ModelUse, 'followed'> };

export type ModelQuestion = {
  /** The person's own words: nothing that they quote. */
  readonly said: string;
  /** Orders whose goods may be told. */
  readonly orders: readonly KnownOrder[];
  /** Customers whose names are taken out. */
  readonly names: readonly string[];
};

/** `undefined`: no answer in time. */
export type AskModel = (question: ModelQuestion, stop: AbortSignal) => Promise<ModelAnswer | undefined>;

const mostOrders = 3;

/** Loaded when it is first asked: most servers have none. */
const languageModel = async ({ api, url, model, key }: ModelSettings): Promise<LanguageModel> => {
  if (api === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ baseURL: url, ...(key === undefined ? {} : { apiKey: key }) })(model);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const endpoint = { name: 'assistant', baseURL: url };
  return createOpenAICompatible(key === undefined ? endpoint : { ...endpoint, apiKey: key })(model);
};

/** An endpoint behind the AI SDK: one request, no repeats, with an end in time and in length. */
export const modelAt = (settings: ModelSettings, onFailure: (error: unknown) => void): AskModel => {
  const { model, timeoutMs, mostTokens, prices } = settings;
  return async ({ said, orders, names }, stop) => {
    const shown = orders.slice(0, mostOrders);
    const { out, back } = redaction(
      names,
      shown.map(({ id }) => id),
    );
    const prompt = JSON.stringify({
      request: out(said),
      orders: shown.map(({ id, lines }) => ({
        id,
        lines: lines.map(({ sku, title, quantity }) => ({ sku, title, quantity })),
      })),
    });
    try {
      const [{ generateText }, asked] = await Promise.all([import('ai'), languageModel(settings)]);
      const { text, usage } = await generateText({
        model: asked,
        instructions: modelInstructions,
        prompt,
        maxOutputTokens: mostTokens,
        maxRetries: 0,
        abortSignal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
      });
      const { inputTokens, outputTokens } = usage;
      const isCounted = inputTokens !== undefined && outputTokens !== undefined;
      const tokens = { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 };
      return {
        reply: back(text),
        use: {
          name: model,
          ...tokens,
          // What was not counted is not said to have cost nothing.
          ...(prices === undefined || !isCounted ? {} : { cost: costOf(tokens, prices) }),
        },
      };
    } catch (error) {
      if (!stop.aborted) onFailure(error);
      return undefined;
    }
  };
};
