import type { Amount, Problem } from '@holdfast/operation';
import { currencyProblem, toProviderAmount, type ProviderContract } from '@holdfast/providers';
import type { ProviderDirectory } from '../engine-interface.ts';
import { problemOf, type ProblemExtras } from './problem.ts';

/** What the provider's own units can say. */
export type ProviderUnits = Pick<ProviderContract, 'displayName' | 'money'>;

/**
 * By whose units an organisation's money is judged. There is one provider so far: where the organisation has no
 * account yet, any account's contract says the same. `undefined`: none is known, and the claim judges.
 */
export const unitsFor = (providers: ProviderDirectory, organisationId: string): ProviderUnits | undefined =>
  (providers.accountOf(organisationId) ?? providers.accounts()[0])?.adapter.contract;

/**
 * Whether the provider can be asked for this amount at all. Said when it is proposed, while it can still be changed,
 * rather than after people have approved it.
 */
export const judgeRefundMoney = (
  units: ProviderUnits | undefined,
  amount: Amount,
  ids: ProblemExtras,
): Problem | undefined => {
  const written = units && toProviderAmount(units, amount);
  if (written === undefined || written.ok) return undefined;
  return unfit(`amount.${written.field}`, written.because, ids);
};

/**
 * Whether the provider can have captured anything in this currency. How much it captured is a fact from outside and
 * is not argued with.
 */
export const judgeCapturedMoney = (
  units: ProviderUnits | undefined,
  captured: Amount,
): Problem | undefined => {
  const because = units && currencyProblem(units, captured.currency);
  return because === undefined ? undefined : unfit('payment.captured.currency', because, {});
};

const unfit = (path: string, message: string, ids: ProblemExtras): Problem =>
  problemOf('invalid', `${path}: ${message}`, { ...ids, issues: [{ path, message }] });
