-- How an organisation's own account is reached, set by `holdfast provider set`. The key and the webhook secrets are sealed
-- by the program with a key that is not in the database: a copy of the tables alone opens nothing.
create table provider_access (
  org_id text collate "C" not null references organisations (org_id),
  provider text not null,
  account_id text collate "C" not null,
  api_base text not null,
  sealed bytea not null,
  set_at timestamptz(3) not null default now(),
  primary key (org_id, provider),
  foreign key (org_id, provider, account_id) references provider_accounts (org_id, provider, account_id)
);
alter table provider_access enable row level security;
alter table provider_access force row level security;
create policy one_organisation on provider_access to holdfast_server
  using (org_id = current_setting('holdfast.organisation_id', true))
  with check (org_id = current_setting('holdfast.organisation_id', true));
grant select, insert, update on provider_access to holdfast_server;
create policy locate on provider_access for select to holdfast_locator using (true);
grant select on provider_access to holdfast_locator;

-- Every process serves every organisation, so it has to know all accounts before any organisation is named.
create function all_provider_access()
  returns table (org_id text, provider text, account_id text, live_mode boolean, fake boolean, api_base text, sealed bytea)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select x.org_id, x.provider, x.account_id, a.live_mode, a.fake, x.api_base, x.sealed
  from public.provider_access x
  join public.provider_accounts a using (org_id, provider, account_id)
  order by x.org_id, x.provider
$$;

-- One account belongs to one organisation. Under a lock, so that of two who set it at once one is refused.
create function account_held_by_another(of_provider text, of_account text, asking_org text) returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('account ' || of_provider || ' ' || of_account, 0));
  return exists (
    select from public.provider_accounts a
    where a.provider = of_provider and a.account_id = of_account and a.org_id <> asking_org);
end $$;

do $$
declare signature regprocedure;
begin
  grant create on schema public to holdfast_locator;
  foreach signature in array array[
    'all_provider_access()', 'account_held_by_another(text, text, text)']::regprocedure[] loop
    execute format('alter function %s owner to holdfast_locator', signature);
    execute format('revoke all on function %s from public', signature);
    execute format('grant execute on function %s to holdfast_server', signature);
  end loop;
  revoke create on schema public from holdfast_locator;
end $$;

-- When a sweep last met this refund in the provider's ledger, and what the last whole sweep of an account read.
alter table mirror_refunds add column swept_at timestamptz(3);
alter table mirror_positions add column swept_at timestamptz(3);
alter table mirror_positions add column swept_since timestamptz(3);
