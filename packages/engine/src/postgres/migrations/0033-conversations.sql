-- What an assistant was asked before somebody proposed: kept beside the operation as evidence for people. Nothing is decided
-- by it. It holds what people wrote, so it stands alone and can be deleted; the audit keeps a digest of it and no word.
create table operation_conversations (
  org_id text collate "C" not null references organisations (org_id),
  operation_id uuid not null,
  kept_at timestamptz(3) not null,
  conversation jsonb not null,
  primary key (org_id, operation_id),
  foreign key (org_id, operation_id) references operations (org_id, id)
);

alter table operation_conversations enable row level security;
alter table operation_conversations force row level security;
create policy one_organisation on operation_conversations to holdfast_server
  using (org_id = current_setting('holdfast.organisation_id', true))
  with check (org_id = current_setting('holdfast.organisation_id', true));
-- Written once, never changed; whoever has to erase what somebody said deletes it.
grant select, insert, delete on operation_conversations to holdfast_server;
