import postgres from 'postgres';
import type { House } from '../house/house.ts';
import { amountMinor } from '../house/stock.ts';
import { pause } from '../program.ts';
import { closedLoop, type Run } from '../run.ts';
import { chainedTo, chainStart, recordsOf, steps, type AuditStep, type Records } from './records.ts';

/** What the product asks the provider to take. */
export const providerMs = 2;

type Parameter = string | number | null;
/** A prepared statement on one connection: prepared at its first use there. */
type Send = (statement: string, parameters?: readonly Parameter[]) => Promise<void>;

/**
 * The server's own role, so that row-level security weighs the same; the organisation is said once a connection. Each
 * client has a connection of its own.
 */
export const openBare = (house: House, connections: number): postgres.Sql =>
  postgres(house.bareUrl, {
    max: connections,
    onnotice: () => undefined,
    connection: { role: 'holdfast_server', 'holdfast.organisation_id': house.organisationId },
  });

const audit = (send: Send, org: string, r: Records, step: AuditStep, previousHash: string): Promise<void> =>
  send(
    `insert into audit (org_id, operation_id, sequence, at, type, actor_id, command_id, state, version, data,
       previous_hash, hash)
     values ($1, $2, $3::int, now(), $4, 'bench', $5, $6, $3::int, $7::text::jsonb, $8, $9)`,
    [
      ...[org, r.operationId, step.sequence, step.type, r.commandId, step.state, step.data, previousHash],
      chainedTo(previousHash, r.operationId, step),
    ],
  );

const feedOperation = (send: Send, org: string, r: Records, version: number): Promise<void> =>
  send(
    `insert into feed (org_id, tx_id, generation, subject, subject_id, version, at)
     values ($1, '0', 'bare', 'operation', $2, $3::int, now())`,
    [org, r.operationId, version],
  );

const feedBoth = (send: Send, org: string, r: Records, version: number): Promise<void> =>
  send(
    `insert into feed (org_id, tx_id, generation, subject, subject_id, version, at)
     values ($1, '0', 'bare', 'operation', $2, $3::int, now()), ($1, '0', 'bare', 'order', $4, $5::int, now())`,
    [org, r.operationId, version, r.orderId, version / 2 + 1],
  );

const touchOrder = (send: Send, org: string, r: Records): Promise<void> =>
  send(
    `update orders set version = version + 1, updated_at = now()
     where org_id = $1 and provider = 'stripe' and payment_reference = $2`,
    [org, r.payment],
  );

const propose = async (send: Send, org: string, r: Records): Promise<void> => {
  await send(
    `insert into operations (org_id, id, state, generation, provider, payment_reference, order_id, customer_id,
       amount_minor, currency, return_id, reason, fingerprint, proposed_by, proposed_via, proposed_person,
       expires_at, wake_at, created_at, updated_at)
     values ($1, $2, 'proposed', 'bare', 'stripe', $3, $4, $5, $6::bigint, 'EUR', $7, 'returned', $8, 'bench',
       'ownerless-key', 'keys of role agent', now() + interval '7 days', now() + interval '7 days', now(), now())`,
    [org, r.operationId, r.payment, r.orderId, r.customerId, amountMinor, r.returnId, r.fingerprint],
  );
  await audit(send, org, r, steps.propose(r.fingerprint), chainStart);
  await feedOperation(send, org, r, 1);
};

const approve = async (send: Send, org: string, r: Records, previousHash: string): Promise<void> => {
  await send(
    `update payments set reserved = reserved + $3::bigint, updated_at = now()
     where org_id = $1 and provider = 'stripe' and payment_reference = $2
       and captured - refunded - refunded_elsewhere - reserved >= $3::bigint`,
    [org, r.payment, amountMinor],
  );
  await send(
    `update operations set state = 'approved', version = 2, approved_at = now(), approved_policy_version = 1,
       wake_at = now(), expires_at = now() + interval '7 days', updated_at = now()
     where org_id = $1 and id = $2 and version = 1`,
    [org, r.operationId],
  );
  await send(
    `insert into approvals (org_id, operation_id, command_id, actor_id, person, role, via, fingerprint, approved_at)
     values ($1, $2, $3, 'bench', 'keys of role approver', 'approver', 'ownerless-key', $4, now())`,
    [org, r.operationId, r.commandId, r.fingerprint],
  );
  await send(
    `insert into commands (org_id, command_id, type, operation_id, actor_id, digest, verdict, decided_at)
     values ($1, $2, 'approve', $3, 'bench', $4, '{"status": "applied"}', now())`,
    [org, r.commandId, r.operationId, r.digest],
  );
  await touchOrder(send, org, r);
  await audit(send, org, r, steps.approve(r.fingerprint), previousHash);
  await feedBoth(send, org, r, 2);
};

const claim = async (send: Send, org: string, r: Records, previousHash: string): Promise<void> => {
  await send(
    `update operations set state = 'submitting', version = 3, fence = 1, first_sent_at = now(),
       replay_deadline = now() + interval '23 hours', lease_until = now() + interval '1 minute', attempt_count = 1,
       claimed_by = 'bench', wake_at = now() + interval '1 minute', updated_at = now()
     where org_id = $1 and id = $2 and version = 2`,
    [org, r.operationId],
  );
  await send(
    `insert into attempts (org_id, operation_id, number, fence, provider, account_id, request, replay_deadline,
       started_at)
     values ($1, $2, 1, 1, 'stripe', 'acct_bench', $3::text::jsonb, now() + interval '23 hours', now())`,
    [org, r.operationId, r.request],
  );
  await audit(send, org, r, steps.claim(), previousHash);
  await feedOperation(send, org, r, 3);
};

const record = async (send: Send, org: string, r: Records, previousHash: string): Promise<void> => {
  await send(
    `update attempts set ended_at = now(), result = 'accepted', finding = $3::text::jsonb, status = 200,
       request_id = 'req_bench', provider_date = now()
     where org_id = $1 and operation_id = $2 and number = 1 and ended_at is null`,
    [org, r.operationId, r.finding],
  );
  await send(
    `insert into observations (org_id, operation_id, observed_at, source, attempt_number, finding, fence)
     values ($1, $2, now(), 'response', 1, $3::text::jsonb, 1)`,
    [org, r.operationId, r.finding],
  );
  await send(
    `update operations set state = 'confirmed', version = 4, lease_until = null, claimed_by = null,
       settlement = $3::text::jsonb, provider_reference = $4, provider_status = 'succeeded', booked_minor = $5::bigint,
       settled_at = now(), wake_at = now() + interval '10 minutes', next_check_at = now() + interval '10 minutes',
       updated_at = now()
     where org_id = $1 and id = $2 and version = 3 and fence = 1`,
    [org, r.operationId, r.settlement, r.refund, amountMinor],
  );
  await send(
    `update payments set reserved = reserved - $3::bigint, refunded = refunded + $3::bigint, updated_at = now()
     where org_id = $1 and provider = 'stripe' and payment_reference = $2`,
    [org, r.payment, amountMinor],
  );
  await touchOrder(send, org, r);
  await audit(send, org, r, steps.record(), previousHash);
  await feedBoth(send, org, r, 4);
};

/** One operation's rows in four transactions, with the provider's time between the third and the fourth. */
const onceThrough = async (connection: postgres.ReservedSql, org: string, order: number): Promise<void> => {
  const r = recordsOf(order, org);
  const send: Send = async (statement, parameters = []) => {
    await connection.unsafe(statement, [...parameters], { prepare: true });
  };
  const inTransaction = async (work: () => Promise<void>): Promise<void> => {
    await send('begin');
    await work();
    await send('commit');
  };
  const proposed = chainedTo(chainStart, r.operationId, steps.propose(r.fingerprint));
  const approved = chainedTo(proposed, r.operationId, steps.approve(r.fingerprint));
  const claimed = chainedTo(approved, r.operationId, steps.claim());
  await inTransaction(() => propose(send, org, r));
  await inTransaction(() => approve(send, org, r, proposed));
  await inTransaction(() => claim(send, org, r, approved));
  await pause(providerMs);
  await inTransaction(() => record(send, org, r, claimed));
};

export const bareLoop = async (house: House, clients: number, durationMs: number): Promise<Run> => {
  const sql = openBare(house, clients);
  try {
    const connections = await Promise.all(Array.from({ length: clients }, () => sql.reserve()));
    const run = await closedLoop(clients, durationMs, async (client) => {
      const connection = connections[client];
      if (connection === undefined) throw new Error(`client ${String(client)} has no connection`);
      await onceThrough(connection, house.organisationId, house.stock.nextForBare());
    });
    for (const connection of connections) connection.release();
    return run;
  } finally {
    await sql.end({ timeout: 5 });
  }
};
