-- The world outside is told: where to, what, and what came of it.

create table announcement_endpoints (
  org_id text collate "C" not null references organisations (org_id),
  id uuid not null,
  url text collate "C" not null,
  description text not null,
  -- Which events go there; empty: all.
  event_types jsonb not null default '[]',
  is_on boolean not null default true,
  created_at timestamptz(3) not null,
  created_by text collate "C" not null,
  -- What signs: sealed, so that reading the database lets nobody speak for us. The one before signs too, for a while.
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamptz(3),
  rotated_at timestamptz(3),
  -- Since its last success: how often it failed, since when, and when it is asked next.
  failures integer not null default 0,
  failing_since timestamptz(3),
  next_try_at timestamptz(3),
  marked_failing_at timestamptz(3),
  last_success_at timestamptz(3),
  removed_at timestamptz(3),
  primary key (org_id, id),
  check ((previous_secret is null) = (previous_until is null))
);

-- One row an event and endpoint, written in the transaction of what it tells of. No row that was not delivered ever ends.
-- No foreign key to the endpoint: checking one would have every refund touch the same row.
create table announcements (
  org_id text collate "C" not null references organisations (org_id),
  endpoint_id uuid not null,
  event_id text collate "C" not null,
  type text collate "C" not null,
  operation_id uuid,
  version integer not null,
  generation text collate "C" not null,
  made_at timestamptz(3) not null,
  payload text not null,
  due_at timestamptz(3) not null,
  claimed_until timestamptz(3),
  tries integer not null default 0,
  delivered_at timestamptz(3),
  primary key (org_id, endpoint_id, event_id)
);
create index announcements_open on announcements (org_id, endpoint_id, due_at) where delivered_at is null;
create index announcements_open_by_operation on announcements (org_id, endpoint_id, operation_id, version)
  where delivered_at is null;
create index announcements_by_time on announcements (org_id, endpoint_id, made_at desc);

create table announcement_attempts (
  org_id text collate "C" not null references organisations (org_id),
  endpoint_id uuid not null,
  event_id text collate "C" not null,
  number integer not null,
  at timestamptz(3) not null,
  duration_ms integer not null,
  status integer,
  outcome text not null check (outcome in ('delivered', 'refused', 'redirected', 'timed-out', 'address-not-allowed',
    'name-unknown', 'unreachable', 'not-secure', 'secret-unreadable')),
  primary key (org_id, endpoint_id, event_id, number)
);

do $$
declare table_name text;
begin
  foreach table_name in array array['announcement_endpoints', 'announcements', 'announcement_attempts'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format($policy$
      create policy one_organisation on %I to holdfast_server
        using (org_id = current_setting('holdfast.organisation_id', true))
        with check (org_id = current_setting('holdfast.organisation_id', true))$policy$, table_name);
    execute format('grant select, insert, update on %I to holdfast_server', table_name);
  end loop;
end $$;
grant delete on announcements, announcement_attempts to holdfast_server;

create policy locate on announcement_endpoints for select to holdfast_locator using (true);
create policy locate on announcements for select to holdfast_locator using (true);
grant select on announcement_endpoints, announcements to holdfast_locator;

-- Nothing of it is delivered to an endpoint that is off or removed: it stays, and goes out once it is on again.
create function organisations_with_announcements() returns table (org_id text)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select o.org_id from public.organisations o
  where exists (select from public.announcement_endpoints e
    where e.org_id = o.org_id and e.is_on and e.removed_at is null
      and (e.next_try_at is null or e.next_try_at <= now())
      and exists (select from public.announcements a where a.org_id = e.org_id and a.endpoint_id = e.id
        and a.delivered_at is null and a.due_at <= now()
        and (a.claimed_until is null or a.claimed_until <= now())))
  order by o.org_id
$$;
create function organisations_with_failing_endpoints() returns table (org_id text)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select distinct e.org_id from public.announcement_endpoints e
  where e.marked_failing_at is not null and e.is_on and e.removed_at is null order by e.org_id
$$;

do $$
declare signature regprocedure;
begin
  grant create on schema public to holdfast_locator;
  foreach signature in array array[
    'organisations_with_announcements()', 'organisations_with_failing_endpoints()']::regprocedure[] loop
    execute format('alter function %s owner to holdfast_locator', signature);
    execute format('revoke all on function %s from public', signature);
    execute format('grant execute on function %s to holdfast_server', signature);
  end loop;
  revoke create on schema public from holdfast_locator;
end $$;

-- Admins are told of an endpoint that has failed for a day.
alter table notices drop constraint notices_kind_check;
alter table notices add constraint notices_kind_check
  check (kind in ('approvals-wait', 'nobody-can-approve', 'case-untaken', 'endpoint-failing', 'refund-came-back', 'test'));
