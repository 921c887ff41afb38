import type postgres from 'postgres';
import type { House } from '../house/house.ts';
import { amountMinor } from '../house/stock.ts';
import { pause } from '../program.ts';
import type { Run } from '../run.ts';
import { openBare, providerMs } from './bare-loop.ts';
import { chainedTo, chainStart, recordsOf, steps, type AuditStep, type Records } from './records.ts';

/** Proposals and approvals come as the wire lets them; claims and records in what a worker takes at once. */
const commandsAtOnce = 500;
const sendsAtOnce = 50;
const lanes = 4;

type Tx = postgres.TransactionSql;
type Chained = Records & { hashes: readonly string[] };

const withHashes = (r: Records): Chained => {
  const chain = [steps.propose(r.fingerprint), steps.approve(r.fingerprint), steps.claim(), steps.record()];
  const hashes = [chainStart];
  for (const step of chain) hashes.push(chainedTo(hashes.at(-1) ?? chainStart, r.operationId, step));
  return { ...r, hashes };
};

const ids = (all: readonly Chained[]): string[] => all.map(({ operationId }) => operationId);
const of = (all: readonly Chained[], column: keyof Records): string[] => all.map((r) => r[column]);

const audit = async (tx: Tx, org: string, all: readonly Chained[], step: (r: Records) => AuditStep) => {
  const { sequence, type, state } = all[0] === undefined ? steps.claim() : step(all[0]);
  await tx`
    insert into audit (org_id, operation_id, sequence, at, type, actor_id, command_id, state, version, data,
      previous_hash, hash)
    select ${org}, id, ${sequence}::int, now(), ${type}, 'bench', command, ${state}, ${sequence}::int,
      data::jsonb, previous, hash
    from unnest(${ids(all)}::uuid[], ${of(all, 'commandId')}::uuid[], ${all.map((r) => step(r).data)}::text[],
      ${all.map(({ hashes }) => hashes[sequence - 1] ?? '')}::text[],
      ${all.map(({ hashes }) => hashes[sequence] ?? '')}::text[]) as u (id, command, data, previous, hash)`;
};

const feed = async (tx: Tx, org: string, all: readonly Chained[], version: number, ordersToo: boolean) => {
  const subjects = ordersToo ? [...ids(all), ...of(all, 'orderId')] : ids(all);
  const kinds = subjects.map((_, place) => (place < all.length ? 'operation' : 'order'));
  const versions = kinds.map((kind) => (kind === 'operation' ? version : version / 2 + 1));
  await tx`
    insert into feed (org_id, tx_id, generation, subject, subject_id, version, at)
    select ${org}, '0', 'bare', kind, subject, version, now()
    from unnest(${kinds}::text[], ${subjects}::text[], ${versions}::int[]) as u (kind, subject, version)`;
};

const touchOrders = async (tx: Tx, org: string, all: readonly Chained[]) => {
  await tx`
    update orders set version = version + 1, updated_at = now()
    where org_id = ${org} and provider = 'stripe' and payment_reference = any(${of(all, 'payment')}::text[])`;
};

const propose = async (tx: Tx, org: string, all: readonly Chained[]) => {
  await tx`
    insert into operations (org_id, id, state, generation, provider, payment_reference, order_id, customer_id,
      amount_minor, currency, return_id, reason, fingerprint, proposed_by, proposed_via, proposed_person,
      expires_at, wake_at, created_at, updated_at)
    select ${org}, id, 'proposed', 'bare', 'stripe', payment, order_id, customer, ${amountMinor}::bigint, 'EUR',
      return_id, 'returned', fingerprint, 'bench', 'ownerless-key', 'keys of role agent',
      now() + interval '7 days', now() + interval '7 days', now(), now()
    from unnest(${ids(all)}::uuid[], ${of(all, 'payment')}::text[], ${of(all, 'orderId')}::text[],
      ${of(all, 'customerId')}::text[], ${of(all, 'returnId')}::text[], ${of(all, 'fingerprint')}::text[])
      as u (id, payment, order_id, customer, return_id, fingerprint)`;
  await audit(tx, org, all, (r) => steps.propose(r.fingerprint));
  await feed(tx, org, all, 1, false);
};

const approve = async (tx: Tx, org: string, all: readonly Chained[]) => {
  await tx`
    update payments set reserved = reserved + ${amountMinor}::bigint, updated_at = now()
    where org_id = ${org} and provider = 'stripe' and payment_reference = any(${of(all, 'payment')}::text[])
      and captured - refunded - refunded_elsewhere - reserved >= ${amountMinor}::bigint`;
  await tx`
    update operations set state = 'approved', version = 2, approved_at = now(), approved_policy_version = 1,
      wake_at = now(), expires_at = now() + interval '7 days', updated_at = now()
    where org_id = ${org} and id = any(${ids(all)}::uuid[]) and version = 1`;
  await tx`
    insert into approvals (org_id, operation_id, command_id, actor_id, person, role, via, fingerprint, approved_at)
    select ${org}, id, command, 'bench', 'keys of role approver', 'approver', 'ownerless-key', fingerprint, now()
    from unnest(${ids(all)}::uuid[], ${of(all, 'commandId')}::uuid[], ${of(all, 'fingerprint')}::text[])
      as u (id, command, fingerprint)`;
  await tx`
    insert into commands (org_id, command_id, type, operation_id, actor_id, digest, verdict, decided_at)
    select ${org}, command, 'approve', id, 'bench', digest, '{"status": "applied"}', now()
    from unnest(${ids(all)}::uuid[], ${of(all, 'commandId')}::uuid[], ${of(all, 'digest')}::text[])
      as u (id, command, digest)`;
  await touchOrders(tx, org, all);
  await audit(tx, org, all, (r) => steps.approve(r.fingerprint));
  await feed(tx, org, all, 2, true);
};

const claim = async (tx: Tx, org: string, all: readonly Chained[]) => {
  await tx`
    update operations set state = 'submitting', version = 3, fence = 1, first_sent_at = now(),
      replay_deadline = now() + interval '23 hours', lease_until = now() + interval '1 minute', attempt_count = 1,
      claimed_by = 'bench', wake_at = now() + interval '1 minute', updated_at = now()
    where org_id = ${org} and id = any(${ids(all)}::uuid[]) and version = 2`;
  await tx`
    insert into attempts (org_id, operation_id, number, fence, provider, account_id, request, replay_deadline,
      started_at)
    select ${org}, id, 1, 1, 'stripe', 'acct_bench', request::jsonb, now() + interval '23 hours', now()
    from unnest(${ids(all)}::uuid[], ${of(all, 'request')}::text[]) as u (id, request)`;
  await audit(tx, org, all, steps.claim);
  await feed(tx, org, all, 3, false);
};

const record = async (tx: Tx, org: string, all: readonly Chained[]) => {
  await tx`
    update attempts a set ended_at = now(), result = 'accepted', finding = u.finding::jsonb, status = 200,
      request_id = 'req_bench', provider_date = now()
    from unnest(${ids(all)}::uuid[], ${of(all, 'finding')}::text[]) as u (id, finding)
    where a.org_id = ${org} and a.operation_id = u.id and a.number = 1 and a.ended_at is null`;
  await tx`
    insert into observations (org_id, operation_id, observed_at, source, attempt_number, finding, fence)
    select ${org}, id, now(), 'response', 1, finding::jsonb, 1
    from unnest(${ids(all)}::uuid[], ${of(all, 'finding')}::text[]) as u (id, finding)`;
  await tx`
    update operations o set state = 'confirmed', version = 4, lease_until = null, claimed_by = null,
      settlement = u.settlement::jsonb, provider_reference = u.refund, provider_status = 'succeeded',
      booked_minor = ${amountMinor}::bigint, settled_at = now(), wake_at = now() + interval '10 minutes',
      next_check_at = now() + interval '10 minutes', updated_at = now()
    from unnest(${ids(all)}::uuid[], ${of(all, 'settlement')}::text[], ${of(all, 'refund')}::text[])
      as u (id, settlement, refund)
    where o.org_id = ${org} and o.id = u.id and o.version = 3 and o.fence = 1`;
  await tx`
    update payments set reserved = reserved - ${amountMinor}::bigint, refunded = refunded + ${amountMinor}::bigint,
      updated_at = now()
    where org_id = ${org} and provider = 'stripe' and payment_reference = any(${of(all, 'payment')}::text[])`;
  await touchOrders(tx, org, all);
  await audit(tx, org, all, steps.record);
  await feed(tx, org, all, 4, true);
};

/** The same rows in multi-row statements: two commits a batch of commands, two a batch that a worker sends. */
export const bareBurst = async (house: House, operations: number): Promise<Run> => {
  const org = house.organisationId;
  const sql = openBare(house, lanes);
  const latenciesMs: number[] = [];
  const begin = performance.now();
  const oneBatch = async (size: number): Promise<void> => {
    const sentAt = performance.now();
    const all = Array.from({ length: size }, () => withHashes(recordsOf(house.stock.nextForBare(), org)));
    await sql.begin((tx) => propose(tx, org, all));
    await sql.begin((tx) => approve(tx, org, all));
    for (let from = 0; from < all.length; from += sendsAtOnce) {
      const some = all.slice(from, from + sendsAtOnce);
      await sql.begin((tx) => claim(tx, org, some));
      await pause(providerMs);
      await sql.begin((tx) => record(tx, org, some));
      for (const _ of some) latenciesMs.push(performance.now() - sentAt);
    }
  };
  const sizes: number[] = [];
  for (let left = operations; left > 0; left -= commandsAtOnce) sizes.push(Math.min(commandsAtOnce, left));
  const waiting = sizes.values();
  const lane = async (): Promise<void> => {
    for (const size of waiting) await oneBatch(size);
  };
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
    return { operations, seconds: (performance.now() - begin) / 1000, latenciesMs };
  } finally {
    await sql.end({ timeout: 5 });
  }
};
