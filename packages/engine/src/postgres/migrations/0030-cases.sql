-- A case is taken by somebody, handed on, put back and written about. Who has it stands with the operation; everything that
-- was done with it stands here, by the command that did it.
alter table operations add column taken_at timestamptz(3), add column escalated_at timestamptz(3);

create table case_entries (
  org_id text collate "C" not null references organisations (org_id),
  command_id uuid not null,
  operation_id uuid not null,
  act text not null check (act in ('take', 'hand-on', 'put-back', 'comment')),
  at timestamptz(3) not null,
  actor_id text collate "C" not null,
  -- Of what was asked: the same command again is answered with what it came to, another under its ID is refused.
  digest text collate "C" not null,
  to_person text collate "C",
  note text,
  primary key (org_id, command_id),
  foreign key (org_id, operation_id) references operations (org_id, id),
  check ((act = 'hand-on') = (to_person is not null)),
  check (act <> 'comment' or note is not null)
);
create index case_entries_by_operation on case_entries (org_id, operation_id, at);

alter table case_entries enable row level security;
alter table case_entries force row level security;
create policy one_organisation on case_entries to holdfast_server
  using (org_id = current_setting('holdfast.organisation_id', true))
  with check (org_id = current_setting('holdfast.organisation_id', true));
-- What was done is never changed.
grant select, insert on case_entries to holdfast_server;

create index provider_events_by_operation on provider_events (org_id, operation_id) where operation_id is not null;

-- Nobody took a case within the set time: its operators and admins are told.
alter table notices drop constraint notices_kind_check;
alter table notices add constraint notices_kind_check
  check (kind in ('approvals-wait', 'nobody-can-approve', 'case-untaken', 'test'));

create index operations_untaken on operations (org_id) where attention <> '[]' and taken_by is null;
create function organisations_with_untaken_cases() returns table (org_id text)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select o.org_id from public.organisations o
  where exists (select from public.operations c
    where c.org_id = o.org_id and c.attention <> '[]' and c.taken_by is null)
  order by o.org_id
$$;

do $$
begin
  grant create on schema public to holdfast_locator;
  alter function organisations_with_untaken_cases() owner to holdfast_locator;
  revoke create on schema public from holdfast_locator;
  revoke all on function organisations_with_untaken_cases() from public;
  grant execute on function organisations_with_untaken_cases() to holdfast_server;
end $$;
