-- The list of what needs a person is read often and is short, however many operations are stored.
create index operations_needing_a_person on operations (org_id, created_at desc, id desc) where attention <> '[]';
