-- Operators are told of very many proposals of one at once. Whether they are one's is looked at in the organisation itself.
create function organisations_with_many_new_proposals() returns table (org_id text)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select o.org_id from public.organisations o
  where exists (select from public.operations p
    where p.org_id = o.org_id and p.created_at > now() - interval '70 minutes' and p.order_id is not null offset 29)
  order by o.org_id
$$;

alter table notices drop constraint notices_kind_check;
alter table notices add constraint notices_kind_check
  check (kind in ('approvals-wait', 'nobody-can-approve', 'case-untaken', 'endpoint-failing', 'refund-came-back',
    'proposals-in-a-burst', 'test'));

do $$
begin
  grant create on schema public to holdfast_locator;
  alter function organisations_with_many_new_proposals() owner to holdfast_locator;
  revoke create on schema public from holdfast_locator;
  revoke all on function organisations_with_many_new_proposals() from public;
  grant execute on function organisations_with_many_new_proposals() to holdfast_server;
end $$;
