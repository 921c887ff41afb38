/** The browser says "full" in the error itself, or in the one behind an aborted transaction. */
export const isOutOfRoom = (error: unknown): boolean => {
  if (typeof error !== 'object' || error === null) return false;
  const { name, inner } = error as { name?: unknown; inner?: unknown };
  return name === 'QuotaExceededError' || isOutOfRoom(inner);
};
