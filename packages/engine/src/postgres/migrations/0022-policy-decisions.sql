-- Each decision names the policy it was made under, and a proposal also the role it was made in: limits of roles are judged
-- again before it is sent.
alter table operations add column proposed_policy_version integer, add column proposed_role text;
alter table approvals add column policy_version integer;

-- What a person has proposed or approved on one day is added up for limits a day.
create index operations_by_proposer on operations (org_id, proposed_person, created_at);
create index approvals_by_person on approvals (org_id, person, approved_at) where voided_at is null;

-- Whether anybody can approve a proposal hangs on who is here, on their keys and on the policy. Whoever changes one of them
-- need not think of the proposals that wait: each is looked at again.
create policy wake on operations for update to holdfast_locator using (true) with check (true);
grant update (wake_at) on operations to holdfast_locator;

create function look_at_proposals_again() returns trigger
  language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- In one order and without waiting: what somebody holds this moment is being judged, and is looked at again by itself.
  update public.operations o set wake_at = least(o.wake_at, clock_timestamp())
    from (select w.id from public.operations w
      where w.org_id = new.org_id and w.state = 'proposed' order by w.id for update skip locked) waiting
    where o.org_id = new.org_id and o.id = waiting.id;
  return null;
end $$;

do $$
begin
  grant create on schema public to holdfast_locator;
  alter function look_at_proposals_again() owner to holdfast_locator;
  revoke create on schema public from holdfast_locator;
  revoke all on function look_at_proposals_again() from public;
end $$;

create trigger proposals_of_new_member after insert on members
  for each row execute function look_at_proposals_again();
create trigger proposals_of_changed_member after update of role, removed_at on members
  for each row execute function look_at_proposals_again();
create trigger proposals_of_new_key after insert on api_keys
  for each row execute function look_at_proposals_again();
create trigger proposals_of_changed_key after update of role, revoked_at on api_keys
  for each row execute function look_at_proposals_again();
create trigger proposals_of_changed_policy after update of policy on organisations
  for each row when (old.policy is distinct from new.policy) execute function look_at_proposals_again();
