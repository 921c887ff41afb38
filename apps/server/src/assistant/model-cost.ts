import type { ModelCost } from '@holdfast/operation';
import type { ModelPrices } from '../settings/model-settings.ts';

type Tokens = { readonly inputTokens: number; readonly outputTokens: number };

const perMillion = 1_000_000;

/** What so many tokens cost, in millionths of the currency's unit, rounded up. */
export const costOf = ({ inputTokens, outputTokens }: Tokens, prices: ModelPrices): ModelCost => ({
  micros: Math.ceil(
    (inputTokens * prices.inputMicrosPerMillion + outputTokens * prices.outputMicrosPerMillion) / perMillion,
  ),
  currency: prices.currency,
});
