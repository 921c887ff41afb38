-- Three roles that own no table and cannot bypass row-level security. They belong to the whole cluster, so another
-- database may have made them already, or may be making them at this moment.
do $$
declare role_name text;
begin
  foreach role_name in array array['holdfast_server', 'holdfast_sign_in', 'holdfast_locator'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      begin
        execute format('create role %I nologin nosuperuser nobypassrls', role_name);
      exception when duplicate_object or unique_violation then null;
      end;
    end if;
    if not (select rolsuper from pg_roles where rolname = current_user) then
      -- Whoever made a role may take it on; where somebody else made it, they have to grant it.
      begin
        execute format('grant %I to %I', role_name, current_user);
      exception when insufficient_privilege then null;
      end;
      begin
        execute format('set local role %I', role_name);
        reset role;
      exception when insufficient_privilege then
        raise exception 'the database user % may not take on the role %', current_user, role_name
          using hint = format('Let a superuser run: grant %I to %I;', role_name, current_user);
      end;
    end if;
  end loop;
end $$;

grant usage on schema public to holdfast_server, holdfast_locator;
grant usage on schema sign_in to holdfast_sign_in;
grant select, insert, update, delete on all tables in schema sign_in to holdfast_sign_in;
grant select on installation to holdfast_server;

-- One policy for each table: only rows of the organisation that the transaction names. No name, no rows.
do $$
declare table_name text;
begin
  foreach table_name in array array['organisations', 'members', 'api_keys', 'actors', 'provider_accounts', 'payments',
    'orders', 'returns', 'tickets', 'operations', 'approvals', 'commands', 'attempts', 'observations',
    'provider_events', 'mirror_refunds', 'mirror_disputes', 'mirror_positions', 'audit', 'feed', 'counted'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format($policy$
      create policy one_organisation on %I to holdfast_server
        using (org_id = current_setting('holdfast.organisation_id', true))
        with check (org_id = current_setting('holdfast.organisation_id', true))$policy$, table_name);
    execute format('grant select, insert on %I to holdfast_server', table_name);
  end loop;
  -- What was observed, decided or audited is never changed; evidence and history are never deleted.
  foreach table_name in array array['organisations', 'members', 'api_keys', 'actors', 'provider_accounts', 'payments',
    'orders', 'returns', 'tickets', 'operations', 'approvals', 'attempts', 'provider_events', 'mirror_refunds',
    'mirror_disputes', 'mirror_positions'] loop
    execute format('grant update on %I to holdfast_server', table_name);
  end loop;
  foreach table_name in array array['returns', 'feed', 'counted'] loop
    execute format('grant delete on %I to holdfast_server', table_name);
  end loop;
end $$;

-- What must run before an organisation is known goes through these few questions, and nothing else does.
create policy locate on api_keys for select to holdfast_locator using (true);
create policy locate on members for select to holdfast_locator using (true);
create policy locate on operations for select to holdfast_locator using (true);
create policy locate on provider_events for select to holdfast_locator using (true);
create policy locate on organisations for select to holdfast_locator using (true);
create policy begin_generation on organisations for update to holdfast_locator using (true) with check (true);
create policy locate on payments for select to holdfast_locator using (true);
create policy locate on provider_accounts for select to holdfast_locator using (true);
grant select on api_keys, members, operations, provider_events, organisations, payments, provider_accounts, installation
  to holdfast_locator;
grant update (generation, hold_on, hold_since, hold_by, hold_reason) on organisations to holdfast_locator;
grant update on installation to holdfast_locator;

create function api_key_by_hash(key_hash text)
  returns table (org_id text, id text, role text, name text, owner_user_id text, owner_name text, assistant boolean)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select k.org_id, k.id, k.role, k.name, k.owner_user_id, m.name, k.assistant
  from public.api_keys k
  left join public.members m on m.org_id = k.org_id and m.user_id = k.owner_user_id and m.removed_at is null
  where k.hash = key_hash and k.revoked_at is null
    and (k.owner_user_id is null or m.user_id is not null)
$$;

create function memberships_of(member_user_id text)
  returns table (org_id text, organisation_name text, role text, name text, email text)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select m.org_id, o.name, m.role, m.name, m.email
  from public.members m join public.organisations o on o.org_id = m.org_id
  where m.user_id = member_user_id and m.removed_at is null
  order by m.created_at
$$;

create function organisations_with_due_work(until timestamptz)
  returns table (org_id text, due bigint, next_wake_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select w.org_id, count(*) filter (where w.wake_at <= until), min(w.wake_at)
  from (
    select o.org_id, o.wake_at from public.operations o where o.wake_at is not null
    union all
    select e.org_id, e.wake_at from public.provider_events e where e.wake_at is not null
  ) w
  group by w.org_id
$$;

create function all_organisations() returns table (org_id text, name text, hold_on boolean, generation text)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select o.org_id, o.name, o.hold_on, o.generation from public.organisations o order by o.created_at, o.org_id
$$;

-- A provider's event names the payment or the account: whose is it?
create function organisation_of_account(of_provider text, of_account text) returns text
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select a.org_id from public.provider_accounts a
  where a.provider = of_provider and a.account_id = of_account order by a.first_used_at limit 1
$$;

-- Whether another organisation already holds this payment. Two accounts that are known to differ never share one.
create function payment_held_by_another(of_provider text, reference text, asking_org text, asking_account text)
  returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('payment ' || of_provider || ' ' || reference, 0));
  return exists (
    select from public.payments p
    where p.provider = of_provider and p.payment_reference = reference and p.org_id <> asking_org
      and (p.account_id is null or asking_account is null or p.account_id = asking_account));
end $$;

create function history_identity() returns table (system_identifier text, timeline integer)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select (select s.system_identifier::text from pg_control_system() s),
         (select c.timeline_id from pg_control_checkpoint() c)
$$;

-- Restored history: everyone starts over, and nothing is sent until people have looked.
create function begin_new_generation(new_generation text, because text) returns bigint
  language sql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
  with changed as (
    update public.organisations set generation = new_generation, hold_on = true, hold_since = now(),
      hold_by = 'system', hold_reason = because
    returning 1)
  select count(*) from changed
$$;

do $$
declare signature regprocedure;
begin
  grant create on schema public to holdfast_locator;
  foreach signature in array array[
    'api_key_by_hash(text)', 'memberships_of(text)', 'organisations_with_due_work(timestamptz)',
    'all_organisations()', 'organisation_of_account(text, text)', 'payment_held_by_another(text, text, text, text)',
    'history_identity()', 'begin_new_generation(text, text)']::regprocedure[] loop
    execute format('alter function %s owner to holdfast_locator', signature);
    execute format('revoke all on function %s from public', signature);
    execute format('grant execute on function %s to holdfast_server', signature);
  end loop;
  revoke create on schema public from holdfast_locator;
end $$;
