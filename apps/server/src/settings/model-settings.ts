import { StartProblem } from './start-problem.ts';
import type { Environment } from './environment.ts';

/** Millionths of the currency's unit for a million tokens. */
export type ModelPrices = {
  readonly inputMicrosPerMillion: number;
  readonly outputMicrosPerMillion: number;
  readonly currency: string;
};

export type ModelSettings = {
  readonly api: 'openai-compatible' | 'anthropic';
  readonly url: string;
  readonly model: string;
  readonly key: string | undefined;
  readonly timeoutMs: number;
  readonly mostTokens: number;
  /** Without them no cost is said. */
  readonly prices: ModelPrices | undefined;
};

const anthropicUrl = 'https://api.anthropic.com/v1';

const microsOf = (price: string): number => Math.round(Number(price) * 1_000_000);

/** @throws StartProblem when only one of the two is given */
const readPrices = ({
  HOLDFAST_ASSISTANT_PRICE_INPUT: input,
  HOLDFAST_ASSISTANT_PRICE_OUTPUT: output,
  HOLDFAST_ASSISTANT_PRICE_CURRENCY: currency,
}: Environment): ModelPrices | undefined => {
  if (input === undefined && output === undefined) return undefined;
  if (input === undefined || output === undefined) {
    throw new StartProblem(
      'HOLDFAST_ASSISTANT_PRICE_INPUT and HOLDFAST_ASSISTANT_PRICE_OUTPUT go together.',
      'Set both, or neither: then no cost is shown.',
    );
  }
  return { inputMicrosPerMillion: microsOf(input), outputMicrosPerMillion: microsOf(output), currency };
};

/**
 * The model that the assistant may ask for plainer words; `undefined`: none, and nothing leaves.
 * @throws StartProblem naming what is missing
 */
export const readModel = (environment: Environment): ModelSettings | undefined => {
  const { HOLDFAST_ASSISTANT_API: api, HOLDFAST_ASSISTANT_URL: url } = environment;
  const { HOLDFAST_ASSISTANT_MODEL: model, HOLDFAST_ASSISTANT_KEY: key } = environment;
  const isAnthropic = api === 'anthropic';
  if (url === undefined && model === undefined && !isAnthropic) return undefined;
  if (isAnthropic && (model === undefined || key === undefined)) {
    throw new StartProblem(
      'HOLDFAST_ASSISTANT_API is "anthropic", which needs HOLDFAST_ASSISTANT_MODEL and HOLDFAST_ASSISTANT_KEY.',
      'Set both, or unset HOLDFAST_ASSISTANT_API.',
    );
  }
  if (model === undefined || (url === undefined && !isAnthropic)) {
    throw new StartProblem(
      'HOLDFAST_ASSISTANT_URL and HOLDFAST_ASSISTANT_MODEL go together.',
      'Set both, or neither.',
    );
  }
  return {
    api,
    url: url ?? anthropicUrl,
    model,
    key,
    timeoutMs: environment.HOLDFAST_ASSISTANT_TIMEOUT_MS,
    mostTokens: environment.HOLDFAST_ASSISTANT_TOKENS,
    prices: readPrices(environment),
  };
};
