-- What is counted says of which operation, so that each figure leads to the operations behind it. Not known of what was
-- counted before.
alter table counted add column operation_id uuid;
