import { awaitingStates, competingStates } from '../query/competing.ts';
import type { OrganisationTransaction } from './connection.ts';
import { groupedBy } from './grouped.ts';
import { codecOf } from './row-codec.ts';
import { operations, type OperationRow } from './schema.ts';
import { paymentKey } from './working-memory.ts';

const operationCodec = codecOf(operations);

/** By payment, the refunds on it that may compete with one of these rows that waits for a decision or its submission. */
export const readCompeting = async (
  tx: OrganisationTransaction,
  rows: readonly OperationRow[],
): Promise<ReadonlyMap<string, readonly OperationRow[]>> => {
  const wanted = new Map<string, { provider: string; paymentReference: string }>();
  for (const { state, provider, paymentReference } of rows) {
    if (!awaitingStates.includes(state) || provider === null || paymentReference === null) continue;
    wanted.set(paymentKey(provider, paymentReference), { provider, paymentReference });
  }
  const found = new Map<string, readonly OperationRow[]>();
  for (const key of wanted.keys()) {
    const ids = tx.memory.operationsOf.get(key);
    if (ids === undefined) continue;
    found.set(
      key,
      [...ids].flatMap((id) => tx.memory.operations.get(id) ?? []),
    );
  }
  const unread = [...wanted].filter(([key]) => !found.has(key)).map(([, payment]) => payment);
  if (unread.length === 0) return found;
  const read = await tx.rows(
    operationCodec,
    `from unnest($2::text[], $3::text[]) m (provider, payment_reference) cross join lateral (
      select o.* from operations o where o.org_id = $1 and o.provider = m.provider
        and o.payment_reference = m.payment_reference and o.state = any($4::text[]) offset 0) t`,
    [
      tx.organisationId,
      unread.map(({ provider }) => provider),
      unread.map(({ paymentReference }) => paymentReference),
      competingStates,
    ],
  );
  const ofPayment = groupedBy(read, (row) => paymentKey(row.provider ?? '', row.paymentReference ?? ''));
  return new Map([...found, ...ofPayment]);
};
