/** Grows each time this tab has changed the hold, so that whatever shows it reads it again. */
let changes = $state(0);

export const holdChanges = (): number => changes;
export const tellHoldChanged = (): void => {
  changes += 1;
};
