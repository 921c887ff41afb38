-- How fast a provider account may be asked, shared by every process that asks: submissions and questions apart, so that
-- neither uses up the other's. A process takes its part of the near future in one statement.
create table account_budgets (
  org_id text not null,
  provider text not null,
  account_id text not null collate "C",
  kind text not null check (kind in ('submission', 'question')),
  per_second double precision,
  refused_at_per_second double precision,
  next_slot_at timestamptz(3) not null,
  paused_until timestamptz(3) not null,
  refusals_in_row integer not null,
  lowered_at timestamptz(3) not null,
  raised_at timestamptz(3) not null,
  counted_since timestamptz(3) not null,
  counted integer not null,
  last_per_second double precision not null,
  primary key (org_id, provider, account_id, kind)
);

alter table account_budgets enable row level security;
alter table account_budgets force row level security;
create policy one_organisation on account_budgets to holdfast_server
  using (org_id = current_setting('holdfast.organisation_id', true))
  with check (org_id = current_setting('holdfast.organisation_id', true));
grant select, insert, update on account_budgets to holdfast_server;
