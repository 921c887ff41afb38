-- Asked at every look for work. Two probes of an index for each organisation, whatever sleeps in it: operations that were
-- confirmed weeks ago still have a wake-up, and counting them all would make the question dearer with each success.
create or replace function organisations_with_due_work(until timestamptz)
  returns table (org_id text, due bigint, next_wake_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select * from (
    select o.org_id as org_id,
      (select count(*) from (
        select from public.operations w where w.org_id = o.org_id and w.wake_at <= until limit 1000) some_operations)
      + (select count(*) from (
        select from public.provider_events w where w.org_id = o.org_id and w.wake_at <= until limit 1000) some_events)
        as due,
      least(
        (select min(w.wake_at) from public.operations w where w.org_id = o.org_id),
        (select min(w.wake_at) from public.provider_events w where w.org_id = o.org_id)) as next_wake_at
    from public.organisations o) work
  where work.next_wake_at is not null
$$;
