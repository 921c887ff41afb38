-- A refund that did not last leaves something to do: the customer is to be paid another way. It stands with its operation,
-- until somebody closes it with a note or a new refund takes its place.
alter table operations add column follow_up jsonb;

alter table case_entries drop constraint case_entries_act_check;
alter table case_entries add constraint case_entries_act_check check (act in
  ('take', 'hand-on', 'put-back', 'comment', 'follow-up-take', 'follow-up-put-back', 'follow-up-close'));

create function organisations_with_follow_ups() returns table (org_id text)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select o.org_id from public.organisations o
  where exists (select from public.operations f
    where f.org_id = o.org_id and f.follow_up is not null and f.follow_up->>'closed' is null)
  order by o.org_id
$$;

-- What a ticket was told of its operations: once for each version that is an end. IDs and facts, never names: the sentence
-- is made of them when it is read. No foreign key: a proposal may name a ticket that the help desk never sent.
create table ticket_notes (
  org_id text collate "C" not null references organisations (org_id),
  ticket_id text collate "C" not null,
  operation_id uuid not null,
  version integer not null,
  at timestamptz(3) not null,
  facts jsonb not null,
  primary key (org_id, ticket_id, operation_id, version)
);
alter table ticket_notes enable row level security;
alter table ticket_notes force row level security;
create policy one_organisation on ticket_notes to holdfast_server
  using (org_id = current_setting('holdfast.organisation_id', true))
  with check (org_id = current_setting('holdfast.organisation_id', true));
-- What was told is never changed.
grant select, insert on ticket_notes to holdfast_server;

do $$
begin
  grant create on schema public to holdfast_locator;
  alter function organisations_with_follow_ups() owner to holdfast_locator;
  revoke create on schema public from holdfast_locator;
  revoke all on function organisations_with_follow_ups() from public;
  grant execute on function organisations_with_follow_ups() to holdfast_server;
end $$;
