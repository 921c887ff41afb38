import { expect } from '@playwright/test';
import type { Cluster } from './cluster.ts';
import type { LedgerRefund, ProviderRequest } from './fake-provider.ts';

const unfinished = ['proposed', 'approved', 'submitting', 'outcome_unknown', 'pending'];

/** The provider's refunds of this organisation, by the operation each of them names. */
export const refundsByOperation = async (
  cluster: Cluster,
): Promise<ReadonlyMap<string, readonly LedgerRefund[]>> => {
  const found = new Map<string, LedgerRefund[]>();
  for (const refund of await cluster.provider.refunds()) {
    const { holdfast_organisation: organisation, holdfast_operation: operation } = refund.metadata;
    if (organisation !== cluster.organisationId || operation === undefined) continue;
    found.set(operation, [...(found.get(operation) ?? []), refund]);
  }
  return found;
};

/**
 * What must hold in the database and at the provider whatever happened to the processes between them: nothing is
 * stuck, no chain is torn, nothing is reserved that nobody wants, and nothing was done twice.
 */
export const expectSound = async (cluster: Cluster): Promise<void> => {
  const { sql } = cluster;
  const stuck = await sql`select id, state from operations
    where state = any(${unfinished}) and (wake_at is null or (state = 'submitting' and lease_until is null))`;
  expect(stuck, 'every unfinished operation has a time at which it is looked at again').toEqual([]);
  const torn = await sql`select operation_id, sequence from (
      select *, lag(hash) over chain as before, row_number() over chain as place
      from audit window chain as (partition by org_id, operation_id order by sequence)) entry
    where sequence <> place or (place > 1 and previous_hash <> before)`;
  expect(torn, 'no chain of the audit is torn').toEqual([]);
  const unsaid = await sql`select o.id from operations o where not exists (
      select from audit a where a.operation_id = o.id and a.state = o.state)
    or not exists (select from feed f where f.subject_id = o.id::text and f.version = o.version)`;
  expect(unsaid, 'every operation’s state is in its audit and its version in the feed').toEqual([]);
  const misbooked = await sql`select p.payment_reference, p.reserved, p.refunded from payments p where
      p.reserved <> (select coalesce(sum(o.amount_minor), 0) from operations o
        where o.payment_reference = p.payment_reference
          and o.state in ('approved', 'submitting', 'outcome_unknown', 'pending'))
      or p.refunded <> (select coalesce(sum(o.amount_minor), 0) from operations o
        where o.payment_reference = p.payment_reference and o.state = 'confirmed')`;
  expect(misbooked, 'each payment’s figures are the sum of its operations').toEqual([]);
  const crowded = await sql`select payment_reference from operations where state = 'submitting'
    group by payment_reference having count(*) > 1`;
  expect(crowded, 'one operation in flight on a payment').toEqual([]);

  const ledger = await refundsByOperation(cluster);
  for (const [id, refunds] of ledger) expect(refunds.length, `refunds of operation ${id}`).toBe(1);
  const confirmed = await sql<{ id: string; provider_reference: string }[]>`
    select id, provider_reference from operations where state = 'confirmed'`;
  for (const { id, provider_reference } of confirmed) {
    expect(
      ledger.get(id)?.map((refund) => refund.id),
      `the refund of operation ${id}`,
    ).toEqual([provider_reference]);
  }
};

/**
 * Confirmed with the one refund of this amount that the provider's ledger holds, asked for by one key and one body.
 * @returns those requests
 */
export const expectOneRefund = async (
  cluster: Cluster,
  id: string,
  payment: string,
  minor: number,
): Promise<readonly ProviderRequest[]> => {
  const settled = await cluster.reach(id, 'confirmed');
  const refunds = await cluster.provider.refunds(payment);
  expect(refunds.map((refund) => [refund.id, refund.amount])).toEqual([[settled.provider_reference, minor]]);
  const posts = await cluster.posts(payment);
  expect(new Set(posts.map(({ idempotency_key, body }) => `${idempotency_key} ${body}`)).size).toBe(1);
  return posts;
};
