-- Seals: now and then the newest entry of every chain that has grown goes under one signed root that holds the hash of the
-- seal before it. Kept elsewhere as well, it shows what was cut off here.
create table audit_seals (
  org_id text collate "C" not null references organisations (org_id),
  number integer not null check (number > 0),
  at timestamptz(3) not null,
  previous_hash text collate "C" not null,
  heads integer not null check (heads > 0),
  root text collate "C" not null,
  -- Where the next seal goes on.
  position jsonb not null,
  public_key text collate "C" not null,
  hash text collate "C" not null,
  signature text collate "C" not null,
  primary key (org_id, number)
);

-- What each seal holds: without these rows a broken root would say that something is wrong and not where.
create table audit_seal_heads (
  org_id text collate "C" not null,
  number integer not null,
  chain text collate "C" not null,
  sequence integer not null check (sequence > 0),
  hash text collate "C" not null,
  primary key (org_id, number, chain),
  foreign key (org_id, number) references audit_seals (org_id, number)
);
create index audit_seal_heads_by_chain on audit_seal_heads (org_id, chain, number);

do $$
declare table_name text;
begin
  foreach table_name in array array['audit_seals', 'audit_seal_heads'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format($policy$
      create policy one_organisation on %I to holdfast_server
        using (org_id = current_setting('holdfast.organisation_id', true))
        with check (org_id = current_setting('holdfast.organisation_id', true))$policy$, table_name);
    execute format('grant select, insert on %I to holdfast_server', table_name);
  end loop;
end $$;
