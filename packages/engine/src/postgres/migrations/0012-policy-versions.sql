-- Every policy that was ever in force. The one in force also stands on the organisation's own row, where decisions read
-- it; a version is kept here when the next one takes its place.
create table policy_versions (
  org_id text collate "C" not null references organisations (org_id),
  version integer not null check (version > 0),
  policy jsonb not null,
  note text,
  -- Nobody: the one an organisation began with.
  proposed_by text collate "C",
  -- The second admin, where it loosened something.
  confirmed_by text collate "C",
  in_force_from timestamptz(3) not null,
  primary key (org_id, version)
);

-- A loosening, from the first admin's word to the second's. Nothing of it is in force before.
create table policy_changes (
  org_id text collate "C" not null references organisations (org_id),
  id uuid not null,
  based_on integer not null,
  policy jsonb not null,
  note text not null,
  proposed_by text collate "C" not null,
  -- Who counts as the proposer where two people are needed.
  proposed_person text collate "C" not null,
  proposed_at timestamptz(3) not null,
  state text not null check (state in ('waiting', 'in-force', 'refused', 'withdrawn', 'stale')),
  decided_by text collate "C",
  decided_person text collate "C",
  decided_at timestamptz(3),
  reason text,
  primary key (org_id, id),
  check ((state = 'waiting') = (decided_at is null)),
  -- The rule itself, where no program can forget it.
  check (state <> 'in-force' or (decided_person is not null and decided_person <> proposed_person))
);
create unique index one_policy_change_waits on policy_changes (org_id) where state = 'waiting';

do $$
declare table_name text;
begin
  foreach table_name in array array['policy_versions', 'policy_changes'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format($policy$
      create policy one_organisation on %I to holdfast_server
        using (org_id = current_setting('holdfast.organisation_id', true))
        with check (org_id = current_setting('holdfast.organisation_id', true))$policy$, table_name);
    execute format('grant select, insert on %I to holdfast_server', table_name);
  end loop;
end $$;
-- A version is never changed; of a change, only what became of it.
grant update (state, decided_by, decided_person, decided_at, reason) on policy_changes to holdfast_server;
