-- What escalation reads: what needs a person, and what waits for a second operator's word. In a migration of its own and
-- before the columns of cases are added: reading goes on while it is built, and writing waits for this index alone.
create index operations_untaken on operations (org_id)
  where attention <> '[]' or resolution->>'waiting' = 'true';
