import type { ProviderAccount } from '../engine-interface.ts';
import { freshBudget, type AccountBudget } from '../limit/account-budget.ts';
import type { BudgetKind } from '../worker/account-limiter.ts';
import type { OrganisationTransaction } from './connection.ts';
import { providerOf } from './mirror-store-news.ts';
import { codecOf } from './row-codec.ts';
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

const budgetCodec = codecOf(accountBudgets);
const readTail = 'where t.org_id = $1 and t.provider = $2 and t.account_id = $3 and t.kind = $4 for update';
const columns = budgetCodec.columns();
const given = 'jsonb_populate_recordset(null::account_budgets, $1::jsonb)';
const insertText = `insert into account_budgets (${columns}) select ${columns} from ${given} on conflict do nothing`;
const updateText = `update account_budgets b set ${columns
  .split(', ')
  .map((name) => `${name} = r.${name}`)
  .join(', ')}
  from ${given} r
  where b.org_id = r.org_id and b.provider = r.provider and b.account_id = r.account_id and b.kind = r.kind`;

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
  const read = () => tx.rows(budgetCodec, readTail, Object.values(identity));
  const write = (text: string, budget: AccountBudget) =>
    tx.ask(text, [JSON.stringify([budgetCodec.encode({ ...identity, ...columnsOf(budget) })])]);
  let [row] = await read();
  if (row === undefined) {
    await write(insertText, freshBudget);
    [row] = await read();
  }
  const before = row === undefined ? freshBudget : budgetOf(row);
  const nowMs = tx.now.getTime();
  const { budget, answer } = decide(before, nowMs);
  if (!sameBudget(before, budget)) await write(updateText, budget);
  return { answer, nowMs };
};
