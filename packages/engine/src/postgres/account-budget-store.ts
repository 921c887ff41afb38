import { and, eq } from 'drizzle-orm';
import type { ProviderAccount } from '../engine-interface.ts';
import { freshBudget, type AccountBudget } from '../limit/account-budget.ts';
import type { BudgetKind } from '../worker/account-limiter.ts';
import type { OrganisationTransaction } from './connection.ts';
import { providerOf } from './mirror-store-news.ts';
import { accountBudgets, type AccountBudgetRow } from './schema.ts';

const budgetOf = (row: AccountBudgetRow): AccountBudget => ({
  perSecond: row.perSecond,
  refusedAtPerSecond: row.refusedAtPerSecond,
  nextSlotMs: row.nextSlotAt.getTime(),
  pausedUntilMs: row.pausedUntil.getTime(),
  refusalsInRow: row.refusalsInRow,
  loweredAtMs: row.loweredAt.getTime(),
  raisedAtMs: row.raisedAt.getTime(),
  countedSinceMs: row.countedSince.getTime(),
  counted: row.counted,
  lastPerSecond: row.lastPerSecond,
});

const columnsOf = (budget: AccountBudget) => ({
  perSecond: budget.perSecond,
  refusedAtPerSecond: budget.refusedAtPerSecond,
  nextSlotAt: new Date(Math.round(budget.nextSlotMs)),
  pausedUntil: new Date(Math.round(budget.pausedUntilMs)),
  refusalsInRow: budget.refusalsInRow,
  loweredAt: new Date(Math.round(budget.loweredAtMs)),
  raisedAt: new Date(Math.round(budget.raisedAtMs)),
  countedSince: new Date(Math.round(budget.countedSinceMs)),
  counted: budget.counted,
  lastPerSecond: budget.lastPerSecond,
});

const sameBudget = (one: AccountBudget, other: AccountBudget): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Reads an account's budget under its row's lock, and writes what is decided of it. What changes nothing writes nothing. */
export const changeAccountBudget = async <Answer>(
  tx: OrganisationTransaction,
  account: ProviderAccount,
  kind: BudgetKind,
  decide: (
    budget: AccountBudget,
    nowMs: number,
  ) => { readonly budget: AccountBudget; readonly answer: Answer },
): Promise<{ readonly answer: Answer; readonly nowMs: number }> => {
  const identity = {
    organisationId: tx.organisationId,
    provider: providerOf(account),
    accountId: account.accountId,
    kind,
  };
  const itself = and(
    eq(accountBudgets.organisationId, identity.organisationId),
    eq(accountBudgets.provider, identity.provider),
    eq(accountBudgets.accountId, identity.accountId),
    eq(accountBudgets.kind, kind),
  );
  const read = () => tx.db.select().from(accountBudgets).where(itself).for('update');
  let [row] = await read();
  if (row === undefined) {
    await tx.db
      .insert(accountBudgets)
      .values({ ...identity, ...columnsOf(freshBudget) })
      .onConflictDoNothing();
    [row] = await read();
  }
  const before = row === undefined ? freshBudget : budgetOf(row);
  const nowMs = tx.now.getTime();
  const { budget, answer } = decide(before, nowMs);
  if (!sameBudget(before, budget)) await tx.db.update(accountBudgets).set(columnsOf(budget)).where(itself);
  return { answer, nowMs };
};
