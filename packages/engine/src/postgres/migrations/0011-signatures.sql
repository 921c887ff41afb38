-- What a passkey signed when an approval was given, with all that is needed to verify it again from here alone: the
-- public key, the relying party and the origin as they were. Texts as they came, since it is bytes that were signed.
create table approval_signatures (
  org_id text not null,
  operation_id uuid not null,
  command_id uuid not null,
  approver_id text not null collate "C",
  fingerprint text not null collate "C",
  seen_refundable_minor bigint,
  seen_currency text,
  seen_order_version integer,
  signed_at text not null,
  expires_at text not null,
  credential_id text not null collate "C",
  authenticator_data text not null,
  client_data_json text not null,
  signature text not null,
  public_key text not null,
  relying_party_id text not null,
  origin text not null,
  counter bigint not null check (counter >= 0),
  accepted_at timestamptz(3) not null,
  primary key (org_id, operation_id, command_id),
  foreign key (org_id, operation_id, command_id) references approvals (org_id, operation_id, command_id),
  check ((seen_order_version is null) = (seen_refundable_minor is null)),
  check ((seen_order_version is null) = (seen_currency is null))
);

-- A passkey that counts never shows one count twice. Approvals signed without a connection arrive in any order, and
-- later than sign-ins that came after them: a lower count than the last one is no sign of a copy, the same one is.
create unique index approval_signatures_by_count on approval_signatures (org_id, credential_id, counter)
  where counter > 0;

alter table approval_signatures enable row level security;
alter table approval_signatures force row level security;
create policy one_organisation on approval_signatures to holdfast_server
  using (org_id = current_setting('holdfast.organisation_id', true))
  with check (org_id = current_setting('holdfast.organisation_id', true));
-- What was signed is never changed and never deleted.
grant select, insert on approval_signatures to holdfast_server;
