-- What the order showed when a refund was proposed, so that whoever decides about it sees what has changed since.
alter table operations add column at_proposal jsonb;
