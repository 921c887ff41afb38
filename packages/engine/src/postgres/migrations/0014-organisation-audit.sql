-- What people do that is not about one operation: policy, members, invitations, keys, passkeys, sessions, the provider
-- account. One chain a subject, not one for all: what is done to two members never waits for one another.
create table organisation_audit (
  org_id text collate "C" not null references organisations (org_id),
  -- Like "member 0198…": never like an operation's chain, which is "operation 0198…".
  subject text collate "C" not null check (subject <> '' and subject not like 'operation %'),
  sequence integer not null check (sequence > 0),
  at timestamptz(3) not null,
  type text not null,
  actor_id text collate "C",
  data jsonb not null,
  previous_hash text collate "C" not null,
  hash text collate "C" not null,
  tx_id xid8,
  primary key (org_id, subject, sequence)
);
create index organisation_audit_newest on organisation_audit (org_id, at, subject, sequence);
create index organisation_audit_by_transaction on organisation_audit (org_id, tx_id);

alter table organisation_audit enable row level security;
alter table organisation_audit force row level security;
create policy one_organisation on organisation_audit to holdfast_server
  using (org_id = current_setting('holdfast.organisation_id', true))
  with check (org_id = current_setting('holdfast.organisation_id', true));
-- What was audited is never changed and never deleted.
grant select, insert on organisation_audit to holdfast_server;

-- Which entries are behind the horizon: what seals them reads those alone, and holds no commit up for it. Entries from
-- before have none; the first seals take them as they stand.
alter table audit add column tx_id xid8;
create index audit_by_transaction on audit (org_id, tx_id);
create index audit_newest on audit (org_id, at, operation_id, sequence);
create index audit_by_actor on audit (org_id, actor_id, at) where actor_id is not null;

-- A trigger, not a column default: a default may be evaluated on another node, with another counter.
create function stamp_audit_row() returns trigger language plpgsql as $$
begin
  new.tx_id := pg_current_xact_id();
  return new;
end $$;
create trigger stamp_audit_row before insert on audit for each row execute function stamp_audit_row();
create trigger stamp_audit_row before insert on organisation_audit
  for each row execute function stamp_audit_row();
