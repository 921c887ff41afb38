-- Each sweep of a provider account, who asked for it, how far it is and what it found. One process at a time works on one: it
-- holds a lease, and a fence that grows with each process that takes the sweep up, so that one that was frozen writes nothing.
create table sweeps (
  org_id text collate "C" not null references organisations (org_id),
  id uuid not null,
  provider text collate "C" not null,
  account_id text collate "C" not null,
  -- `schedule`, `command-line`, or the person or key that asked.
  asked_by text collate "C" not null,
  asked_at timestamptz(3) not null,
  since timestamptz(3) not null,
  -- When it began to read: what came later is not compared.
  swept_at timestamptz(3),
  -- From when on the provider's events are read.
  events_since timestamptz(3),
  state text not null check (state in ('waiting', 'running', 'done', 'no-answer', 'not-home', 'given-up')),
  phase text not null default 'refunds' check (phase in ('refunds', 'operations', 'events')),
  position text collate "C",
  refunds_read integer not null default 0,
  operations_read integer not null default 0,
  events_read integer not null default 0,
  events_fetched integer not null default 0,
  found integer not null default 0,
  started_at timestamptz(3),
  progress_at timestamptz(3),
  ended_at timestamptz(3),
  worker text,
  fence integer not null default 0,
  lease_until timestamptz(3),
  because text,
  key_refused boolean not null default false,
  primary key (org_id, id),
  check ((state = 'running') = (lease_until is not null)),
  check ((state in ('waiting', 'running')) = (ended_at is null)),
  check (state not in ('running', 'done') or swept_at is not null)
);
create unique index one_sweep_under_way on sweeps (org_id, provider, account_id) where state = 'running';
create unique index one_sweep_waiting on sweeps (org_id, provider, account_id) where state = 'waiting';
create index sweeps_newest on sweeps (org_id, asked_at desc, id desc);

create table sweep_findings (
  org_id text collate "C" not null references organisations (org_id),
  sweep_id uuid not null,
  kind text not null,
  reference text collate "C" not null,
  payment_reference text collate "C" not null,
  -- Whatever the refund's metadata names: not always an operation that is known here.
  operation_id text collate "C",
  amount_minor bigint not null,
  currency text not null,
  ours_minor bigint,
  ours_currency text,
  found_at timestamptz(3) not null,
  -- When a sweep met the same for the first time.
  first_found_at timestamptz(3) not null,
  primary key (org_id, sweep_id, kind, reference),
  foreign key (org_id, sweep_id) references sweeps (org_id, id),
  check ((ours_minor is null) = (ours_currency is null))
);
create index sweep_findings_before on sweep_findings (org_id, kind, reference, found_at);

-- When the account is swept next, for whichever process looks first; and up to when every event of the provider is known here.
alter table mirror_positions add column next_sweep_at timestamptz(3), add column events_through timestamptz(3);

do $$
declare table_name text;
begin
  foreach table_name in array array['sweeps', 'sweep_findings'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format($policy$
      create policy one_organisation on %I to holdfast_server
        using (org_id = current_setting('holdfast.organisation_id', true))
        with check (org_id = current_setting('holdfast.organisation_id', true))$policy$, table_name);
    execute format('grant select, insert, update on %I to holdfast_server', table_name);
  end loop;
end $$;
-- What old sweeps found is told again by the newer ones for as long as it is so.
grant delete on sweep_findings to holdfast_server;
