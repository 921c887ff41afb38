-- How long a provider took over what it had accepted. In a migration of its own: operations wait to be written while it is
-- built, and nothing else does.
create index operations_confirmed_after_pending on operations (org_id, provider, settled_at)
  where state = 'confirmed' and pending_since is not null;
