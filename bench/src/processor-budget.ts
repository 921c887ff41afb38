import type { Cost } from './facts/cost.ts';
import type { MeasuredRun } from './run.ts';

type Shares = Readonly<Record<string, number>>;

/** Milliseconds of processor time an operation, by who used it; `null` where this system does not tell. */
const sharesOf = ({ cost, operations }: Pick<MeasuredRun, 'cost' | 'operations'>): Shares | null => {
  const seconds: readonly (readonly [string, number | null])[] = [
    ['server', cost.serverSeconds],
    ['database', cost.databaseSeconds],
    ['provider', cost.providerSeconds],
    ['client', cost.clientSeconds],
  ];
  if (seconds.some(([, used]) => used === null)) return null;
  return Object.fromEntries(seconds.map(([who, used]) => [who, ((used ?? 0) * 1000) / operations]));
};

const sum = (shares: Shares): number => Object.values(shares).reduce((total, share) => total + share, 0);

export type Budget = { readonly mayTakeMs: number; readonly takesMs: number; readonly shares: Shares };

/**
 * Where processors are what both wait for, a rate of so much of the bare SQL's allows that much more processor time an
 * operation. Of the bare run the server's and the provider's idling is left out: it is no part of its work. Pure.
 */
export const processorBudget = (
  bare: { readonly cost: Cost; readonly operations: number },
  product: { readonly cost: Cost; readonly operations: number },
  aimedShare: number,
): Budget | null => {
  const bareShares = sharesOf(bare);
  const shares = sharesOf(product);
  if (bareShares === null || shares === null) return null;
  const bareMs = (bareShares['database'] ?? 0) + (bareShares['client'] ?? 0);
  return { mayTakeMs: bareMs / aimedShare, takesMs: sum(shares), shares };
};

export const budgetText = ({ mayTakeMs, takesMs, shares }: Budget, aimedShare: number): string => {
  const parts = Object.entries(shares).map(([who, ms]) => `${who} ${ms.toFixed(1)}`);
  return (
    `What would have to change: at ${String(aimedShare)} of bare SQL's rate an operation may take ` +
    `${mayTakeMs.toFixed(1)} ms of processor time in all; it takes ${takesMs.toFixed(1)} (${parts.join(', ')}).`
  );
};
