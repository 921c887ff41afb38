import type postgres from 'postgres';

/** Rows written in one transaction. */
const chunk = 25_000;

/**
 * Fills the product's database with operations that ended over the last 180 days: 92 % confirmed, 3 % failed at the
 * provider, 5 % denied; each with its order, payment, return, approval, command, attempt, observation, audit and
 * mirrored refund, as the product leaves them. What was settled in the last 30 days still has its next look ahead of
 * it. No feed rows: a client that resumes reads only newer ones. Foreign keys are not checked while filling, since
 * every row is made together with what it points at; `orphans` asks for them afterwards.
 */
export const fillFinished = async (
  sql: postgres.Sql,
  organisationId: string,
  count: number,
  say: (done: number) => void = () => undefined,
): Promise<void> => {
  for (let from = 1; from <= count; from += chunk) {
    const to = Math.min(count, from + chunk - 1);
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`set local synchronous_commit = off`;
      await tx`set local work_mem = '256MB'`;
      await makeFacts(tx, organisationId, from, to);
      await insertGround(tx);
      await insertOperations(tx);
      await insertHistory(tx);
    });
    say(to);
  }
  await sql`vacuum (analyze)`;
  await sql`checkpoint`;
  await refuseOrphans(sql);
};

type Tx = postgres.TransactionSql;

const makeFacts = async (tx: Tx, organisationId: string, from: number, to: number): Promise<void> => {
  await tx`
    create temporary table old on commit drop as
    select ${organisationId} as org, (select generation from organisations where org_id = ${organisationId}) as generation,
      n, made.age, now() - made.age as at, uuidv7(-made.age) as id, uuidv7(-made.age + interval '1 minute') as command,
      'old-order-' || n as order_id, 'pi_old_' || n as payment, 're_old_' || n as refund,
      'customer-' || n % 200000 as customer, 'ticket-' || n % 5000 as ticket,
      encode(sha256(('fingerprint ' || n)::bytea), 'hex') as fingerprint,
      case when n % 100 < 92 then 'confirmed' when n % 100 < 95 then 'failed' else 'denied' end as state,
      jsonb_build_object('reference', 're_old_' || n, 'status', 'succeeded', 'statusText', 'succeeded',
        'amount', jsonb_build_object('minor', 4999, 'currency', 'EUR'), 'paymentReference', 'pi_old_' || n,
        'chargeReference', null, 'failureReason', null, 'createdAtMs', 1700000000000) as record
    from generate_series(${from}::int, ${to}::int) n,
      lateral (select random() * interval '179 days' + interval '1 hour' as age where n > 0) made`;
};

const insertGround = async (tx: Tx): Promise<void> => {
  await tx`
    insert into payments (org_id, provider, payment_reference, account_id, currency, captured, refunded, asked_at,
      created_at, updated_at)
    select org, 'stripe', payment, 'acct_bench', 'EUR', 10000, case state when 'confirmed' then 4999 else 0 end, at,
      at - interval '3 days', at from old`;
  await tx`
    insert into orders (org_id, order_id, version, customer_id, customer_name, provider, payment_reference, lines,
      placed_at, created_at, updated_at)
    select org, order_id, 3, customer, 'Customer ' || n, 'stripe', payment, jsonb_build_array(jsonb_build_object(
      'sku', 'sku-' || n, 'title', 'Headphones', 'quantity', 1,
      'amount', jsonb_build_object('minor', 4999, 'currency', 'EUR'))), at - interval '3 days',
      at - interval '3 days', at from old`;
  await tx`
    insert into returns (org_id, order_id, return_id, status, received_at)
    select org, order_id, 'return-' || n, 'received', at - interval '1 day' from old`;
};

const insertOperations = async (tx: Tx): Promise<void> => {
  await tx`
    insert into operations (org_id, id, state, version, generation, fence, provider, payment_reference, order_id,
      ticket_id, customer_id, amount_minor, currency, return_id, reason, fingerprint, proposed_by, proposed_via,
      proposed_person, approved_at, approved_policy_version, first_sent_at, replay_deadline, attempt_count, settlement,
      provider_reference, provider_status, booked_minor, settled_at, ended_by, end_reason, wake_at, next_check_at,
      expires_at, created_at, updated_at)
    select org, id, state, case state when 'denied' then 2 else 4 end, generation,
      case state when 'denied' then 0 else 1 end, 'stripe', payment, order_id, ticket, customer, 4999, 'EUR',
      'return-' || n, 'returned', fingerprint, 'bench', 'ownerless-key', 'keys of role agent',
      case when state <> 'denied' then at end, case when state <> 'denied' then 1 end,
      case when state <> 'denied' then at end, case when state <> 'denied' then at + interval '23 hours' end,
      case state when 'denied' then 0 else 1 end,
      case state when 'confirmed' then jsonb_build_object('kind', 'confirmed', 'record', record,
          'booked', jsonb_build_object('minor', 4999, 'currency', 'EUR'), 'attention', '[]'::jsonb, 'settledBy', null)
        when 'failed' then jsonb_build_object('kind', 'failed', 'cause',
          jsonb_build_object('kind', 'declined', 'decline', 'card-closed', 'code', 'expired_card'),
          'attention', '[]'::jsonb) end,
      case state when 'confirmed' then refund end, case state when 'confirmed' then 'succeeded' end,
      case state when 'confirmed' then 4999 end, at, case state when 'denied' then 'bench' end,
      case state when 'denied' then 'not ours to pay' end, wake.next, wake.next, at + interval '7 days', at, at
    from old, lateral (select case when state = 'confirmed' and age < interval '30 days'
      then now() + interval '2 hours' + random() * interval '22 hours' end as next) wake`;
  await tx`
    insert into mirror_refunds (org_id, provider, reference, payment_reference, amount_minor, currency, status,
      status_text, metadata_org_id, metadata_operation_id, provider_created_at, first_seen_at, updated_at)
    select org, 'stripe', refund, payment, 4999, 'EUR', 'succeeded', 'succeeded', org, id::text, at, at, at
    from old where state = 'confirmed'`;
};

const insertHistory = async (tx: Tx): Promise<void> => {
  await tx`
    insert into approvals (org_id, operation_id, command_id, actor_id, person, role, via, fingerprint, approved_at)
    select org, id, command, 'bench', 'keys of role approver', 'approver', 'ownerless-key', fingerprint, at
    from old where state <> 'denied'`;
  await tx`
    insert into commands (org_id, command_id, type, operation_id, actor_id, digest, verdict, decided_at)
    select org, command, case state when 'denied' then 'deny' else 'approve' end, id, 'bench', fingerprint,
      '{"status": "applied"}', at from old`;
  await tx`
    insert into attempts (org_id, operation_id, number, fence, provider, account_id, request, replay_deadline,
      started_at, ended_at, result, finding, status, request_id, provider_date)
    select org, id, 1, 1, 'stripe', 'acct_bench', jsonb_build_object('method', 'POST', 'path', '/v1/refunds',
        'contentType', 'application/x-www-form-urlencoded', 'idempotencyKey', 'holdfast-' || fingerprint,
        'apiVersion', '2026-10-28.endive', 'body', 'payment_intent=' || payment || '&amount=4999&reason=' ||
        'requested_by_customer&metadata[holdfast_organisation]=' || org || '&metadata[holdfast_operation]=' || id),
      at + interval '23 hours', at, at, finding.kind, finding.said, 200, 'req_bench', at
    from old, lateral (select case state when 'confirmed' then 'accepted' else 'rejected' end as kind,
      case state when 'confirmed' then jsonb_build_object('kind', 'accepted', 'record', record)
        else '{"kind": "rejected", "decline": "card-closed", "code": "expired_card"}'::jsonb end as said) finding
    where state <> 'denied'`;
  await tx`
    insert into observations (org_id, operation_id, observed_at, source, attempt_number, finding, fence)
    select a.org_id, a.operation_id, a.ended_at, 'response', 1, a.finding, 1
    from old join attempts a on a.org_id = old.org and a.operation_id = old.id`;
  await tx`
    insert into audit (org_id, operation_id, sequence, at, type, actor_id, command_id, state, version, data,
      previous_hash, hash)
    select org, id, step.sequence, at, step.type, 'bench', command, step.state, step.sequence,
      jsonb_build_object('fingerprint', fingerprint), encode(sha256((n || ' ' || step.sequence - 1)::bytea), 'hex'),
      encode(sha256((n || ' ' || step.sequence)::bytea), 'hex')
    from old, lateral (
      select 1 as sequence, 'propose' as type, 'proposed' as state
      union all select 2, case old.state when 'denied' then 'deny' else 'approve' end,
        case old.state when 'denied' then 'denied' else 'approved' end
      union all select 3, 'claim', 'submitting' where old.state <> 'denied'
      union all select 4, 'evidence-' || old.state, old.state where old.state <> 'denied') step`;
};

/** Every row that points at another has it, although nobody checked while filling. */
const refuseOrphans = async (sql: postgres.Sql): Promise<void> => {
  const [found] = await sql<{ orphans: string }[]>`
    select (
      (select count(*) from operations o where not exists (select from orders r where r.org_id = o.org_id
        and r.order_id = o.order_id and r.provider = o.provider and r.payment_reference = o.payment_reference))
      + (select count(*) from orders r where not exists (select from payments p where p.org_id = r.org_id
        and p.provider = r.provider and p.payment_reference = r.payment_reference))
      + (select count(*) from attempts a where not exists (select from operations o where o.org_id = a.org_id
        and o.id = a.operation_id and o.replay_deadline is not distinct from a.replay_deadline))
      + (select count(*) from audit a where not exists (select from operations o where o.org_id = a.org_id
        and o.id = a.operation_id)))::text as orphans`;
  if (found?.orphans !== '0') throw new Error(`the fill left ${found?.orphans ?? 'unknown'} orphans`);
};
