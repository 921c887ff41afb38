-- A proposal looks for refunds that name it, whatever case the provider's metadata was written in.
create index mirror_refunds_by_named_operation on mirror_refunds (org_id, metadata_org_id, lower(metadata_operation_id));
drop index mirror_refunds_by_operation;
