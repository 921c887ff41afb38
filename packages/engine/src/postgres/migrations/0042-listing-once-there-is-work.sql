-- A proposal that comes while nothing was going on is not to wait for the slow pace of an idle account: from this time
-- on the account is listed as soon as there is something unfinished; `next_listing_at` is when it is listed in any case.
alter table mirror_positions add column listing_with_work_at timestamptz(3);
