-- The whole first schema. Every key, unique constraint and foreign key leads with org_id, so that organisations
-- can one day be spread over machines; amounts are whole minor units; IDs from outside compare byte by byte.

create table installation (
  id boolean primary key default true check (id),
  cursor_key bytea not null,
  default_org_id text collate "C",
  system_identifier text,
  timeline integer,
  demo boolean,
  used_with_fake_provider boolean,
  created_at timestamptz(3) not null default now()
);
comment on table installation is 'One row: what this database knows of itself. The cluster''s identity shows a restore.';

create table organisations (
  org_id text collate "C" primary key check (org_id <> ''),
  name text not null,
  generation text not null,
  hold_on boolean not null default false,
  hold_since timestamptz(3),
  hold_by text,
  hold_reason text,
  policy jsonb not null,
  feed_pruned_through xid8,
  created_at timestamptz(3) not null default now()
);

create table members (
  org_id text collate "C" not null references organisations (org_id),
  user_id text collate "C" not null,
  role text not null check (role in ('agent', 'approver', 'operator', 'admin', 'integrator')),
  name text not null,
  email text not null,
  created_at timestamptz(3) not null default now(),
  removed_at timestamptz(3),
  primary key (org_id, user_id)
);
create index members_by_user on members (user_id);

create table api_keys (
  org_id text collate "C" not null references organisations (org_id),
  id text collate "C" not null,
  hash text collate "C" not null,
  role text not null check (role in ('agent', 'approver', 'operator', 'admin', 'integrator')),
  name text not null,
  owner_user_id text collate "C",
  assistant boolean not null default false,
  created_at timestamptz(3) not null default now(),
  revoked_at timestamptz(3),
  primary key (org_id, id),
  unique (org_id, hash)
);
create index api_keys_by_hash on api_keys (hash);

create table actors (
  org_id text collate "C" not null references organisations (org_id),
  actor_id text collate "C" not null,
  name text not null,
  assistant boolean not null default false,
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, actor_id)
);
comment on table actors is 'Names by ID. Audit and fingerprints hold IDs alone, so a person can be erased here.';

create table provider_accounts (
  org_id text collate "C" not null references organisations (org_id),
  provider text not null,
  account_id text collate "C" not null,
  live_mode boolean not null,
  fake boolean not null,
  first_used_at timestamptz(3) not null default now(),
  primary key (org_id, provider, account_id)
);

create table payments (
  org_id text collate "C" not null references organisations (org_id),
  provider text not null,
  payment_reference text collate "C" not null,
  account_id text collate "C",
  currency text not null,
  captured bigint not null check (captured > 0),
  refunded bigint not null default 0,
  refunded_elsewhere bigint not null default 0,
  reserved bigint not null default 0,
  disputed boolean not null default false,
  asked_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, provider, payment_reference)
);
comment on table payments is
  'No constraint compares these figures: a late fact from outside must always be recordable. Only the reserving '
  'update limits, and only where reserved grows.';
create index payments_by_reference on payments (provider, payment_reference);

create table orders (
  org_id text collate "C" not null references organisations (org_id),
  order_id text collate "C" not null,
  version integer not null default 1,
  customer_id text collate "C" not null,
  customer_name text not null,
  provider text not null,
  payment_reference text collate "C" not null,
  lines jsonb not null default '[]',
  placed_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, order_id),
  -- Operations point at this key, so the database itself keeps an order on the payment that was approved.
  unique (org_id, order_id, provider, payment_reference),
  foreign key (org_id, provider, payment_reference) references payments (org_id, provider, payment_reference)
);
create index orders_by_payment on orders (org_id, provider, payment_reference);
create index orders_by_customer on orders (org_id, customer_id);
create index orders_newest on orders (org_id, placed_at desc, order_id desc);

create table returns (
  org_id text collate "C" not null,
  order_id text collate "C" not null,
  return_id text collate "C" not null,
  status text not null check (status in ('expected', 'received', 'rejected')),
  received_at timestamptz(3),
  primary key (org_id, order_id, return_id),
  foreign key (org_id, order_id) references orders (org_id, order_id)
);

create table tickets (
  org_id text collate "C" not null references organisations (org_id),
  ticket_id text collate "C" not null,
  version integer not null default 1,
  subject text not null,
  customer_id text collate "C" not null,
  order_id text collate "C",
  status text not null check (status in ('open', 'closed')),
  messages jsonb not null default '[]',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, ticket_id)
);
create index tickets_newest on tickets (org_id, updated_at desc, ticket_id desc);
create index tickets_by_order on tickets (org_id, order_id);

create table operations (
  org_id text collate "C" not null references organisations (org_id),
  id uuid not null,
  kind text not null default 'refund',
  state text not null check (state in ('proposed', 'approved', 'submitting', 'pending', 'confirmed',
    'outcome_unknown', 'failed', 'reversed', 'denied', 'cancelled', 'expired')),
  version integer not null default 1,
  generation text not null,
  fence bigint not null default 0,
  attention jsonb not null default '[]' check (jsonb_typeof(attention) = 'array'),
  cleared_attention jsonb not null default '[]' check (jsonb_typeof(cleared_attention) = 'array'),
  waiting_for text check (waiting_for in ('undo', 'hold', 'provider', 'provider-account', 'payment')),

  -- what was accepted: never changes
  provider text,
  payment_reference text collate "C",
  order_id text collate "C",
  ticket_id text collate "C",
  customer_id text collate "C",
  amount_minor bigint check (amount_minor > 0),
  currency text,
  lines jsonb not null default '[]',
  return_id text collate "C",
  reason text,
  note text,
  replaces uuid,
  different_from jsonb not null default '[]',
  fingerprint text collate "C",
  proposed_by text collate "C" not null,
  proposed_via text not null,
  -- Who counts as the proposer where two people are needed: ownerless keys of one role are one person.
  proposed_person text collate "C" not null,

  -- approval
  approved_at timestamptz(3),
  undo_until timestamptz(3),
  approved_policy_version integer,
  known_elsewhere jsonb not null default '[]',
  sent_back jsonb,

  -- submission
  first_sent_at timestamptz(3),
  replay_deadline timestamptz(3),
  attempt_count integer not null default 0,
  claimed_by text,
  lease_until timestamptz(3),
  deferred_until timestamptz(3),

  -- outcome
  settlement jsonb,
  provider_reference text collate "C",
  provider_status text,
  booked_minor bigint check (booked_minor > 0),
  unknown_since timestamptz(3),
  pending_since timestamptz(3),
  settled_at timestamptz(3),
  resolution jsonb,
  taken_by text collate "C",
  ended_by text collate "C",
  end_reason text,

  -- waking
  wake_at timestamptz(3),
  last_check_at timestamptz(3),
  next_check_at timestamptz(3),
  check_count integer not null default 0,
  check_asked_at timestamptz(3),
  expires_at timestamptz(3),

  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,

  primary key (org_id, id),
  -- Attempts carry the deadline through this key.
  unique (org_id, id, replay_deadline),
  foreign key (org_id, order_id, provider, payment_reference)
    references orders (org_id, order_id, provider, payment_reference),
  foreign key (org_id, provider, payment_reference) references payments (org_id, provider, payment_reference),
  foreign key (org_id, replaces) references operations (org_id, id),
  constraint only_a_remembered_cancellation_is_bare check (
    state in ('cancelled', 'pending', 'confirmed') or (
      amount_minor is not null and currency is not null and order_id is not null and provider is not null
      and payment_reference is not null and customer_id is not null and fingerprint is not null)),
  constraint first_send_and_deadline_go_together check ((first_sent_at is null) = (replay_deadline is null)),
  constraint nothing_is_forgotten check (
    state not in ('proposed', 'approved', 'submitting', 'pending', 'outcome_unknown')
    or wake_at is not null or attention <> '[]')
);
create unique index one_operation_in_flight_per_payment on operations (org_id, provider, payment_reference)
  where state = 'submitting';
create index operations_due on operations (org_id, wake_at) where wake_at is not null;
create index operations_newest on operations (org_id, created_at desc, id desc);
create index operations_by_state on operations (org_id, state, created_at desc, id desc);
create index operations_by_payment on operations (org_id, provider, payment_reference);
create index operations_by_order on operations (org_id, order_id);
create index operations_by_ticket on operations (org_id, ticket_id);
create index operations_by_reference on operations (org_id, provider, provider_reference);

create table approvals (
  org_id text collate "C" not null,
  operation_id uuid not null,
  command_id uuid not null,
  actor_id text collate "C" not null,
  person text collate "C" not null,
  role text not null,
  via text not null,
  fingerprint text collate "C" not null,
  signed boolean not null default false,
  approved_at timestamptz(3) not null,
  voided_at timestamptz(3),
  void_reason text,
  primary key (org_id, operation_id, command_id),
  foreign key (org_id, operation_id) references operations (org_id, id)
);

create table commands (
  org_id text collate "C" not null references organisations (org_id),
  command_id uuid not null,
  type text not null,
  operation_id uuid not null,
  actor_id text collate "C" not null,
  digest text collate "C" not null,
  verdict jsonb not null,
  decided_at timestamptz(3) not null,
  primary key (org_id, command_id)
);

create table attempts (
  org_id text collate "C" not null,
  operation_id uuid not null,
  number integer not null check (number > 0),
  fence bigint not null,
  provider text not null,
  account_id text collate "C",
  request jsonb not null,
  replay_deadline timestamptz(3),
  started_at timestamptz(3) not null,
  ended_at timestamptz(3),
  result text check (result in
    ('not-sent', 'deferred', 'rejected', 'in-flight-elsewhere', 'unknown', 'accepted')),
  finding jsonb,
  status integer,
  request_id text,
  replayed boolean not null default false,
  provider_date timestamptz(3),
  primary key (org_id, operation_id, number),
  foreign key (org_id, operation_id) references operations (org_id, id),
  -- Going back to approved clears the operation's deadline, and with it that of the attempts proved unsent.
  foreign key (org_id, operation_id, replay_deadline) references operations (org_id, id, replay_deadline)
    on update cascade,
  constraint never_started_after_the_replay_deadline check (
    (replay_deadline is not null and started_at <= replay_deadline)
    or coalesce(result in ('not-sent', 'deferred'), false))
);
create index attempts_by_provider on attempts (org_id, provider, result);

create table observations (
  org_id text collate "C" not null,
  operation_id uuid not null,
  id uuid not null default gen_random_uuid(),
  observed_at timestamptz(3) not null,
  source text not null check (source in ('response', 'look-up', 'listing', 'webhook', 'operator')),
  attempt_number integer,
  event_id text collate "C",
  replayed boolean not null default false,
  finding jsonb not null,
  actor_id text collate "C",
  fence bigint,
  primary key (org_id, operation_id, id),
  foreign key (org_id, operation_id) references operations (org_id, id)
);
create unique index one_observation_per_event on observations (org_id, operation_id, event_id)
  where event_id is not null;

create table provider_events (
  org_id text collate "C" not null references organisations (org_id),
  event_id text collate "C" not null,
  provider text not null,
  type text not null,
  account_id text collate "C",
  live_mode boolean not null,
  object_reference text collate "C",
  payment_reference text collate "C",
  operation_id uuid,
  event jsonb not null,
  raw text not null,
  provider_created_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  delivery_count integer not null default 1,
  -- stored and applied are separate facts
  applied_at timestamptz(3),
  applied_as text check (applied_as in ('applied', 'foreign-account', 'foreign-mode', 'unknown-operation', 'not-for-us')),
  apply_failures integer not null default 0,
  last_failure text,
  wake_at timestamptz(3),
  primary key (org_id, event_id),
  constraint unapplied_events_wake check ((applied_at is null) = (wake_at is not null))
);
create index provider_events_due on provider_events (org_id, wake_at) where wake_at is not null;

create table mirror_refunds (
  org_id text collate "C" not null references organisations (org_id),
  provider text not null,
  reference text collate "C" not null,
  payment_reference text collate "C" not null,
  amount_minor bigint not null,
  currency text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  status_text text not null,
  failure_reason text,
  metadata_org_id text collate "C",
  metadata_operation_id text collate "C",
  provider_created_at timestamptz(3) not null,
  first_seen_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (org_id, provider, reference)
);
create index mirror_refunds_by_payment on mirror_refunds (org_id, provider, payment_reference);
create index mirror_refunds_by_operation on mirror_refunds (org_id, metadata_operation_id);

create table mirror_disputes (
  org_id text collate "C" not null references organisations (org_id),
  provider text not null,
  reference text collate "C" not null,
  payment_reference text collate "C" not null,
  amount_minor bigint not null,
  currency text not null,
  open boolean not null,
  status_text text not null,
  provider_created_at timestamptz(3) not null,
  first_seen_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (org_id, provider, reference)
);
create index mirror_disputes_by_payment on mirror_disputes (org_id, provider, payment_reference);

create table mirror_positions (
  org_id text collate "C" not null references organisations (org_id),
  provider text not null,
  account_id text collate "C" not null,
  listed_through timestamptz(3),
  fresh_at timestamptz(3),
  key_refused_since timestamptz(3),
  last_failure text,
  clock_skew_ms bigint,
  updated_at timestamptz(3) not null,
  primary key (org_id, provider, account_id)
);

create table audit (
  org_id text collate "C" not null,
  operation_id uuid not null,
  sequence integer not null check (sequence > 0),
  at timestamptz(3) not null,
  type text not null,
  actor_id text collate "C",
  command_id uuid,
  state text not null,
  version integer not null,
  data jsonb not null,
  previous_hash text collate "C" not null,
  hash text collate "C" not null,
  primary key (org_id, operation_id, sequence),
  foreign key (org_id, operation_id) references operations (org_id, id)
);
comment on table audit is 'Chained per operation; IDs only, never names.';

create table feed (
  org_id text collate "C" not null references organisations (org_id),
  id bigint generated always as identity,
  tx_id xid8 not null,
  generation text not null,
  subject text not null check (subject in ('operation', 'order', 'ticket')),
  subject_id text collate "C" not null,
  version integer not null,
  at timestamptz(3) not null default now(),
  primary key (org_id, id)
);
create index feed_in_order on feed (org_id, tx_id, id);

-- A trigger, not a column default: a default may be evaluated on another node, with another counter.
create function stamp_feed_row() returns trigger language plpgsql as $$
begin
  new.tx_id := pg_current_xact_id();
  return new;
end $$;
create trigger stamp_feed_row before insert on feed for each row execute function stamp_feed_row();

create table counted (
  org_id text collate "C" not null references organisations (org_id),
  id bigint generated always as identity,
  name text not null,
  label text not null default '',
  amount double precision not null,
  times bigint not null default 1,
  at timestamptz(3) not null default now(),
  primary key (org_id, id)
);
comment on table counted is 'Counters as rows that are only added: no two transactions wait for each other over a number.';
create index counted_by_name on counted (org_id, name, label);
