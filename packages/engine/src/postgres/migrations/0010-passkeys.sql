-- Passkeys belong to people, who may be in several organisations; so they stand with sign-in, and hold no secret.
-- A row is revoked, never deleted: what was signed with it must stay verifiable.
create table sign_in.passkey (
  id text primary key,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null check (counter >= 0),
  user_id text not null references sign_in."user" (id),
  name text not null,
  rp_id text not null,
  -- Where it was registered.
  origin text not null,
  transports text not null default '',
  backed_up boolean not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  -- When it was last shown with a counter that had gone back, as a copy of it would.
  counter_went_back_at timestamptz(3),
  revoked_at timestamptz(3),
  revoked_by text,
  -- A recovery that two admins agreed on came after it: it no longer counts where a first passkey is registered.
  before_recovery boolean not null default false,
  check ((revoked_at is null) = (revoked_by is null)),
  check (not before_recovery or revoked_at is not null)
);
create index passkey_by_user on sign_in.passkey (user_id);

-- Challenges are sealed with their purpose and their end; the spent ones stand here until that end.
create table sign_in.spent_challenge (
  challenge text primary key,
  ends_at timestamptz(3) not null
);
create index spent_challenge_by_end on sign_in.spent_challenge (ends_at);

-- When the person was last asked who they are in this session, and how they proved it.
alter table sign_in.session
  add column proved_at timestamptz(3) not null default now(),
  add column proved_by text not null default 'password' check (proved_by in ('password', 'passkey')),
  add column passkey_id text references sign_in.passkey (id),
  add column seen_at timestamptz(3) not null default now();

grant usage on schema sign_in to holdfast_server;
grant select, insert, update (counter, name, last_used_at, counter_went_back_at, revoked_at, revoked_by)
  on sign_in.passkey to holdfast_server;
grant select, insert, delete on sign_in.spent_challenge to holdfast_server;
grant select on sign_in.passkey to holdfast_sign_in;
