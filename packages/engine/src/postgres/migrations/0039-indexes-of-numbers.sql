-- Figures of the last days are read by time. In a migration of its own: writing waits while these are built, reading does
-- not, and nothing else waits at all.
create index counted_by_time on counted (org_id, name, at);
create index attempts_by_time on attempts (org_id, started_at);
