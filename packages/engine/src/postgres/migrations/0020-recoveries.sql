-- Whoever lost what they sign in with begins anew when two admins say so. What it takes away is bound to the row: no
-- program can agree without doing it, and none can do it without the second word.
create table recoveries (
  org_id text collate "C" not null references organisations (org_id),
  id text collate "C" not null,
  -- Whose sign-in it is.
  person text collate "C" not null,
  reason text not null check (reason <> ''),
  started_by text collate "C" not null,
  started_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  ended_as text check (ended_as in ('agreed', 'withdrawn', 'expired')),
  -- Nobody, where its time ran out.
  ended_by text collate "C",
  ended_at timestamptz(3),
  -- Of the link to begin anew with: its hash, as the sign-in library keeps it, and its end.
  link_hash text collate "C",
  link_until timestamptz(3),
  -- When the person had a password again.
  used_at timestamptz(3),
  primary key (org_id, id),
  foreign key (org_id, person) references members (org_id, user_id),
  -- The rule itself, where no program can forget it: two admins, neither of them the person.
  check (started_by <> person),
  check (ended_as is distinct from 'agreed'
    or (ended_by is not null and ended_by <> started_by and ended_by <> person
      and link_hash is not null and link_until is not null)),
  check ((ended_as is null) = (ended_at is null)),
  check (used_at is null or ended_as = 'agreed')
);
create unique index one_recovery_waits_per_person on recoveries (org_id, person) where ended_as is null;
create index recoveries_by_person on recoveries (org_id, person, started_at);

alter table recoveries enable row level security;
alter table recoveries force row level security;
create policy one_organisation on recoveries to holdfast_server
  using (org_id = current_setting('holdfast.organisation_id', true))
  with check (org_id = current_setting('holdfast.organisation_id', true));
grant select, insert on recoveries to holdfast_server;
-- Whose it is, who asked and why never change.
grant update (ended_as, ended_by, ended_at, link_hash, link_until, used_at) on recoveries to holdfast_server;

grant update (revoked_at, revoked_by, before_recovery) on sign_in.passkey to holdfast_sign_in;
grant execute on function memberships_of(text) to holdfast_sign_in;

-- Passkeys are revoked and kept, so that what they signed stays verifiable.
create function recover_sign_in() returns trigger
  language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- Nobody registers a passkey, and nobody joins an organisation with this person, in between.
  perform pg_advisory_xact_lock(hashtextextended('passkeys of ' || new.person, 0));
  perform pg_advisory_xact_lock(hashtextextended('member ' || new.person, 0));
  if (select array_agg(m.org_id) from public.memberships_of(new.person) m) is distinct from array[new.org_id] then
    raise exception 'a recovery opens one organisation: the person must belong to this one and to no other';
  end if;
  update sign_in.passkey
    set revoked_at = coalesce(revoked_at, new.ended_at), revoked_by = coalesce(revoked_by, new.ended_by),
      before_recovery = true
    where user_id = new.person;
  update sign_in.account set password = null, "updatedAt" = now() where "userId" = new.person;
  delete from sign_in.session where "userId" = new.person;
  delete from sign_in.verification where value = new.person;
  insert into sign_in.verification (id, identifier, value, "expiresAt")
    values (new.id, new.link_hash, new.person, new.link_until);
  return null;
end $$;

-- A passkey is registered under the lock that a recovery takes: whether the session was ended meanwhile is seen then.
create function session_lives(of_session text) returns boolean
  language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select from sign_in.session s where s.id = of_session and s."expiresAt" > now())
$$;

create trigger recovery_begins_anew after insert or update of ended_as on recoveries
  for each row when (new.ended_as = 'agreed') execute function recover_sign_in();

do $$
begin
  grant create on schema public to holdfast_sign_in;
  alter function recover_sign_in() owner to holdfast_sign_in;
  alter function session_lives(text) owner to holdfast_sign_in;
  revoke create on schema public from holdfast_sign_in;
  revoke all on function recover_sign_in() from public;
  revoke all on function session_lives(text) from public;
  grant execute on function session_lives(text) to holdfast_server;
end $$;
