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

-- Nobody took a case within the set time: its operators and admins are told.
alter table notices drop constraint notices_kind_check;
alter table notices add constraint notices_kind_check
  check (kind in ('approvals-wait', 'nobody-can-approve', 'case-untaken', 'test'));

-- Nobody has a case whose holder left, or may no longer see to cases. A key without an owner is a holder of its own.
create function case_has_nobody(of_org text, holder text) returns boolean language sql stable as $$
  select holder is null or not (
    exists (select from public.members m
      where m.org_id = of_org and m.user_id = holder and m.removed_at is null and m.role in ('operator', 'admin'))
    or exists (select from public.api_keys k
      where k.org_id = of_org and k.id = holder and k.owner_user_id is null and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now()) and k.role in ('operator', 'admin')))
$$;
create function organisations_with_untaken_cases() returns table (org_id text)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select o.org_id from public.organisations o
  where exists (select from public.operations c
    where c.org_id = o.org_id and (c.attention <> '[]' or c.resolution->>'waiting' = 'true')
      and (c.resolution->>'waiting' = 'true' or public.case_has_nobody(c.org_id, c.taken_by)))
  order by o.org_id
$$;

do $$
begin
  revoke all on function case_has_nobody(text, text) from public;
  grant execute on function case_has_nobody(text, text) to holdfast_server, holdfast_locator;
  grant create on schema public to holdfast_locator;
  alter function organisations_with_untaken_cases() owner to holdfast_locator;
  revoke create on schema public from holdfast_locator;
  revoke all on function organisations_with_untaken_cases() from public;
  grant execute on function organisations_with_untaken_cases() to holdfast_server;
end $$;
