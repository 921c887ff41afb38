-- In a migration of its own: webhooks wait to be stored while it is built, and nothing else does.
create index provider_events_by_operation on provider_events (org_id, operation_id) where operation_id is not null;
