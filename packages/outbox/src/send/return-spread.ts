/** The most that a return is spread over. */
export const longestReturnSpreadMs = 60_000;

/**
 * How long to hold back after the browser said that the network is there again, in milliseconds. Every device of the
 * building hears it in the same second, so each waits anywhere between nothing and as long as it was away, at most a
 * minute: a blip costs nobody anything, and after an hour the server is not met by everybody at once. What a person
 * asks for meanwhile does not wait.
 * @param chance from 0 up to 1
 */
export const returnDelayMs = (outForMs: number, chance: number, longestMs = longestReturnSpreadMs): number =>
  Math.floor(chance * Math.min(longestMs, Math.max(0, outForMs)));
