-- Listings of one account follow one another without a gap since `unbroken_since`: a payment asked about after it needs
-- no further question while the mirror is fresh. Of many workers the one that takes the turn lists.
alter table mirror_positions add column unbroken_since timestamptz(3);
alter table mirror_positions add column next_listing_at timestamptz(3);
