-- Taking a person or a customer out. It is done by `holdfast person erase` and `holdfast customer erase` alone: they take on
-- the role that the narrow functions belong to, which no request ever works under. What the server itself may change is as
-- before: it cannot rewrite what was decided, observed or written.
do $$
declare place text[];
declare table_name text;
begin
  foreach table_name in array array['organisations', 'members', 'invitations', 'operations', 'approvals', 'commands',
    'observations', 'attempts', 'provider_events', 'mirror_refunds', 'case_entries', 'policy_versions', 'policy_changes',
    'recoveries', 'api_keys', 'actors', 'orders', 'tickets', 'push_subscriptions', 'notification_ways', 'notices',
    'notices_told', 'operation_conversations', 'ticket_notes', 'announcements', 'announcement_endpoints'] loop
    execute format($policy$
      create policy erase on %I to holdfast_locator
        using (org_id = current_setting('holdfast.organisation_id', true))
        with check (org_id = current_setting('holdfast.organisation_id', true))$policy$, table_name);
    execute format('grant select on %I to holdfast_locator', table_name);
  end loop;
  foreach place slice 1 in array array[
    ['organisations', 'hold_reason'], ['members', 'name, email'],
    ['invitations', 'name, email, withdrawn_at, withdrawn_by'],
    ['operations', 'note, end_reason, settlement, resolution, sent_back, follow_up, version, updated_at'],
    ['commands', 'verdict'], ['observations', 'finding'], ['attempts', 'finding'],
    ['provider_events', 'event, raw, last_failure'], ['mirror_refunds', 'failure_reason'], ['case_entries', 'note'],
    ['policy_versions', 'note'], ['policy_changes', 'note, reason'], ['recoveries', 'reason'], ['api_keys', 'name'],
    ['ticket_notes', 'facts'], ['announcements', 'payload'], ['announcement_endpoints', 'description'],
    ['actors', 'name'], ['orders', 'customer_name, lines, version, updated_at'],
    ['tickets', 'subject, messages, version, updated_at']] loop
    execute format('grant update (%s) on %I to holdfast_locator', place[2], place[1]);
  end loop;
  foreach table_name in array array['push_subscriptions', 'notification_ways', 'notices', 'notices_told',
    'operation_conversations'] loop
    execute format('grant delete on %I to holdfast_locator', table_name);
  end loop;
end $$;
