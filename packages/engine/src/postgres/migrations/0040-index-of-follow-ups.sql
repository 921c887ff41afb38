-- In a migration of its own: operations wait to be written while it is built, and nothing else does.
create index operations_with_open_follow_up on operations (org_id, id)
  where follow_up is not null and follow_up->>'closed' is null;
