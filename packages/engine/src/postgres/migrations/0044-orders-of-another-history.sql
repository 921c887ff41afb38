-- An approval says which version of the order its approver saw. In a history that was put back the versions are counted
-- on from the copy, and one of them would be called like another one of before, with other refunds behind it. No version
-- of a history that begins anew has a number that the one before it could have given.
create or replace function begin_new_generation(new_generation text, because text) returns bigint
  language sql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
  with renumbered as (
    update public.orders set version = version + 1000000
    returning 1),
  changed as (
    update public.organisations set generation = new_generation, hold_on = true, hold_since = now(),
      hold_by = 'system', hold_reason = because
    returning 1)
  select count(*) from changed
$$;

create policy renumber on orders for update to holdfast_locator using (true) with check (true);
create policy locate on orders for select to holdfast_locator using (true);
grant select (org_id, order_id, version), update (version) on orders to holdfast_locator;
