-- What an operator writes when settling a case, or when clearing what a person was needed for, is kept with its author beside
-- the case: the operation itself holds only the last settlement.
alter table case_entries drop constraint case_entries_act_check;
alter table case_entries add constraint case_entries_act_check check (act in
  ('take', 'hand-on', 'put-back', 'comment', 'follow-up-take', 'follow-up-put-back', 'follow-up-close', 'resolve'));
