-- Whether a proposal is an assistant's stays with the proposal. A person and their assistant are one actor, whose mark was
-- whoever's of the two had acted last. Not known of what was proposed before this was kept.
alter table operations add column proposed_by_assistant boolean;
