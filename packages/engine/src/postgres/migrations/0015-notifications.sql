-- Who is told, and where, that something waits for them; and what is on its way to them.

-- A browser that shows notices. It belongs to the session that made it: when that one ends, however it ends, so does this.
create table push_subscriptions (
  org_id text collate "C" not null references organisations (org_id),
  id text collate "C" not null,
  user_id text collate "C" not null,
  session_id text collate "C" not null,
  endpoint text collate "C" not null,
  public_key text collate "C" not null,
  auth_secret text collate "C" not null,
  created_at timestamptz(3) not null,
  last_success_at timestamptz(3),
  gone_at timestamptz(3),
  gone_because text,
  primary key (org_id, id),
  check ((gone_at is null) = (gone_because is null))
);
create unique index one_living_subscription_per_browser on push_subscriptions (org_id, endpoint) where gone_at is null;
create index push_subscriptions_by_person on push_subscriptions (org_id, user_id) where gone_at is null;
create index push_subscriptions_by_endpoint on push_subscriptions (endpoint) where gone_at is null;

create table notification_ways (
  org_id text collate "C" not null references organisations (org_id),
  user_id text collate "C" not null,
  way text not null check (way in ('push-else-mail', 'push', 'mail', 'off')),
  changed_at timestamptz(3) not null,
  primary key (org_id, user_id)
);

-- One row for each notice to each place. It is made in one transaction with what it tells of, claimed by row, and ended.
create table notices (
  org_id text collate "C" not null references organisations (org_id),
  id text collate "C" not null,
  batch text collate "C" not null,
  user_id text collate "C" not null,
  kind text not null check (kind in ('approvals-wait', 'nobody-can-approve', 'test')),
  way text not null check (way in ('push', 'mail')),
  subscription_id text collate "C",
  made_at timestamptz(3) not null,
  due_at timestamptz(3) not null,
  claimed_until timestamptz(3),
  tries integer not null default 0,
  sent_at timestamptz(3),
  ended_at timestamptz(3),
  ended_because text,
  primary key (org_id, id),
  check ((way = 'push') = (subscription_id is not null)),
  check ((ended_at is null) = (ended_because is null)),
  foreign key (org_id, subscription_id) references push_subscriptions (org_id, id)
);
create index notices_open on notices (org_id, due_at) where ended_at is null;
create index notices_by_person on notices (org_id, user_id, way, made_at);
create index notices_by_batch on notices (org_id, batch);

-- Of what somebody has been told. No foreign key to the operation: checking one would wait for whoever holds the operation.
create table notices_told (
  org_id text collate "C" not null references organisations (org_id),
  user_id text collate "C" not null,
  kind text not null,
  operation_id uuid not null,
  -- Since when it waits: what comes back for approval is told of again.
  since timestamptz(3) not null,
  batch text collate "C" not null,
  primary key (org_id, user_id, kind, operation_id, since)
);
create index notices_told_by_batch on notices_told (org_id, batch);

do $$
declare table_name text;
begin
  foreach table_name in array array['push_subscriptions', 'notification_ways', 'notices', 'notices_told'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format($policy$
      create policy one_organisation on %I to holdfast_server
        using (org_id = current_setting('holdfast.organisation_id', true))
        with check (org_id = current_setting('holdfast.organisation_id', true))$policy$, table_name);
    execute format('grant select, insert, update on %I to holdfast_server', table_name);
  end loop;
end $$;
grant delete on notices, notices_told to holdfast_server;

create policy locate on notices for select to holdfast_locator using (true);
create policy locate on push_subscriptions for select to holdfast_locator using (true);
create policy give_way on push_subscriptions for update to holdfast_locator using (true) with check (true);
grant select on notices, push_subscriptions to holdfast_locator;
grant update (gone_at, gone_because) on push_subscriptions to holdfast_locator;
grant usage on schema sign_in to holdfast_locator;
grant select (id, "userId", "expiresAt") on sign_in.session to holdfast_locator;

create function organisations_with_notices() returns table (org_id text)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select o.org_id from public.organisations o
  where exists (select from public.operations w where w.org_id = o.org_id and w.state = 'proposed')
     or exists (select from public.notices n where n.org_id = o.org_id and n.ended_at is null)
  order by o.org_id
$$;

create function live_sessions(session_ids text[]) returns table (session_id text, user_id text)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select s.id, s."userId" from sign_in.session s where s.id = any(session_ids) and s."expiresAt" > now()
$$;

-- A browser belongs to whoever signed in there last: in whatever organisation, what others had there ends.
create function take_over_push_endpoint(of_endpoint text, by_user text) returns bigint
  language sql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
  with ended as (
    update public.push_subscriptions p set gone_at = now(), gone_because = 'another-person'
    where p.endpoint = of_endpoint and p.user_id <> by_user and p.gone_at is null
    returning 1)
  select count(*) from ended
$$;

do $$
declare signature regprocedure;
begin
  grant create on schema public to holdfast_locator;
  foreach signature in array array[
    'organisations_with_notices()', 'live_sessions(text[])', 'take_over_push_endpoint(text, text)']::regprocedure[] loop
    execute format('alter function %s owner to holdfast_locator', signature);
    execute format('revoke all on function %s from public', signature);
    execute format('grant execute on function %s to holdfast_server', signature);
  end loop;
  revoke create on schema public from holdfast_locator;
end $$;
