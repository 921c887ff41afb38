-- What is counted says of which operation, so that each figure leads to the operations behind it. Not known of what was
-- counted before.
alter table counted add column operation_id uuid;

-- Figures of the last days are read by time. Writing waits while these are built, reading does not.
create index counted_by_time on counted (org_id, name, at);
create index attempts_by_time on attempts (org_id, started_at);
