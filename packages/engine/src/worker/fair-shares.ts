/**
 * Whose work is taken next, and how much of it: every organisation with due work gets its part of the room, and each
 * pass begins one organisation further on, so that one with a long backlog never keeps the others waiting.
 * @param turn counts the passes
 */
export const inTurn = <Organisation>(
  organisations: readonly Organisation[],
  turn: number,
): Organisation[] => {
  const first = organisations.length === 0 ? 0 : turn % organisations.length;
  return [...organisations.slice(first), ...organisations.slice(0, first)];
};

/** How many items the next one may take, where `waiting` organisations, itself among them, still wait in this pass. */
export const shareOfRoom = (room: number, waiting: number): number =>
  room <= 0 ? 0 : Math.max(1, Math.floor(room / Math.max(1, waiting)));
