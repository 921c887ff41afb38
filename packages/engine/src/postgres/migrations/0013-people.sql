-- Which of their organisations a person works for in one session, and which they chose last: a new session begins there.
alter table sign_in.session add column "organisationId" text;
alter table sign_in."user" add column "lastOrganisationId" text;

-- The name under which a device keeps what a person does here. It never changes, whatever becomes of other memberships,
-- so that what was queued under one organisation never goes out under another.
alter table members add column subject text collate "C";
-- Row-level security is forced on the owner as well; for what stands here already it is lifted while we look.
alter table members no force row level security;
update members m set subject = case
  when exists (
    select from members earlier
    where earlier.user_id = m.user_id and (earlier.created_at, earlier.org_id) < (m.created_at, m.org_id))
  then m.user_id || '@' || m.org_id else m.user_id end;
alter table members alter column subject set not null;
alter table members add column removed_by text collate "C";

create function subject_of_new_member() returns trigger
  language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- One at a time for each person: two organisations that take somebody in at once must not both be the first.
  perform pg_advisory_xact_lock(hashtextextended('member ' || new.user_id, 0));
  new.subject := case
    when exists (select from public.members m where m.user_id = new.user_id and m.org_id <> new.org_id)
    then new.user_id || '@' || new.org_id else new.user_id end;
  return new;
end $$;
create trigger subject_is_fixed before insert on members for each row execute function subject_of_new_member();

create table invitations (
  org_id text collate "C" not null references organisations (org_id),
  id text collate "C" not null,
  email text not null,
  name text not null,
  role text not null check (role in ('agent', 'approver', 'operator', 'admin')),
  token_hash text collate "C" not null,
  invited_by text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  sent_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  accepted_by text collate "C",
  withdrawn_at timestamptz(3),
  withdrawn_by text collate "C",
  primary key (org_id, id),
  unique (org_id, token_hash)
);
create unique index one_open_invitation_per_address on invitations (org_id, email)
  where accepted_at is null and withdrawn_at is null;
create index invitations_by_token on invitations (token_hash);
alter table invitations enable row level security;
alter table invitations force row level security;
create policy one_organisation on invitations to holdfast_server
  using (org_id = current_setting('holdfast.organisation_id', true))
  with check (org_id = current_setting('holdfast.organisation_id', true));
grant select, insert, update on invitations to holdfast_server;
create policy locate on invitations for select to holdfast_locator using (true);
grant select on invitations to holdfast_locator;

create function invitation_by_token(of_token_hash text) returns table (org_id text, id text)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select i.org_id, i.id from public.invitations i
  where i.token_hash = of_token_hash and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > now()
$$;

-- A key's life. `owner_role` is the owner's role when the key was made: losing it stops the key.
alter table api_keys add column scope text not null default 'role' check (scope in ('role', 'propose', 'read'));
alter table api_keys add column expires_at timestamptz(3);
alter table api_keys add column created_by text collate "C";
alter table api_keys add column revoked_by text collate "C";
alter table api_keys add column last_used_at timestamptz(3);
alter table api_keys add column owner_role text;
alter table api_keys add column rotated_at timestamptz(3);
-- The secret before the last rotation, for as long as it may still be used.
alter table api_keys add column previous_hash text collate "C";
alter table api_keys add column previous_works_until timestamptz(3);
alter table api_keys no force row level security;
update api_keys k set owner_role = (
  select m.role from members m where m.org_id = k.org_id and m.user_id = k.owner_user_id);
alter table api_keys force row level security;
alter table members force row level security;
create index api_keys_by_previous_hash on api_keys (previous_hash) where previous_hash is not null;

drop function api_key_by_hash(text);
create function api_key_by_hash(key_hash text)
  returns table (org_id text, id text, role text, name text, owner_user_id text, owner_name text, assistant boolean,
    scope text, owner_role text, owner_role_then text, owner_subject text, used_lately boolean)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select k.org_id, k.id, k.role, k.name, k.owner_user_id, m.name, k.assistant,
    k.scope, m.role, k.owner_role, m.subject,
    coalesce(k.last_used_at > now() - interval '1 minute', false)
  from public.api_keys k
  left join public.members m on m.org_id = k.org_id and m.user_id = k.owner_user_id and m.removed_at is null
  where (k.hash = key_hash or (k.previous_hash = key_hash and k.previous_works_until > now()))
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    and (k.owner_user_id is null or m.user_id is not null)
$$;

drop function memberships_of(text);
create function memberships_of(member_user_id text)
  returns table (org_id text, organisation_name text, role text, name text, email text, subject text)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select m.org_id, o.name, m.role, m.name, m.email, m.subject
  from public.members m join public.organisations o on o.org_id = m.org_id
  where m.user_id = member_user_id and m.removed_at is null
  order by m.created_at, m.org_id
$$;

do $$
declare signature regprocedure;
begin
  grant create on schema public to holdfast_locator;
  foreach signature in array array[
    'api_key_by_hash(text)', 'memberships_of(text)', 'invitation_by_token(text)',
    'subject_of_new_member()']::regprocedure[] loop
    execute format('alter function %s owner to holdfast_locator', signature);
    execute format('revoke all on function %s from public', signature);
    execute format('grant execute on function %s to holdfast_server', signature);
  end loop;
  revoke create on schema public from holdfast_locator;
end $$;
