/** Full jitter and its like, without chance of its own: who comes back together must not come back at once. */

/** The most that a return is spread over. */
export const longestSpreadMs = 60_000;

/** The next of an even sequence in [0, 1): any run of neighbours lies spread over the whole. */
export const evenly = (turn: number): number => (turn * 0.618_033_988_749_895) % 1;

/** A share in [0, 1) that belongs to a name: always the same for one, spread evenly over many (FNV-1a, mixed). */
export const shareOf = (name: string): number => {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < name.length; index += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x0100_0193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
};

const checkSpread = 0.25;

/**
 * A pause before the next look, up to a quarter longer by what is looked at: operations that were lost sight of in
 * one outage do not all ask in the same millisecond for ever after.
 */
export const spreadPauseMs = (pauseMs: number, share: number): number =>
  pauseMs + Math.floor(pauseMs * checkSpread * share);

/** Who is turned away from a budget comes back in line: each this much later than the one before. */
export type Line = { readonly tailMs: number; readonly turn: number };

export const emptyLine: Line = { tailMs: 0, turn: 0 };

/** Slightly closer than the pace, since not everyone who comes back finds a slot, and no slot is to be wasted. */
const closer = 1.25;
const unknownApartMs = 20;

/**
 * The place of one more at the end of the line.
 * @param fromMs before this nobody is let in
 * @param perSecond the pace; `null` where it is not known
 */
export const joinLine = (
  line: Line,
  nowMs: number,
  fromMs: number,
  perSecond: number | null,
): { readonly line: Line; readonly atMs: number } => {
  const apartMs = perSecond === null ? unknownApartMs : 1_000 / (perSecond * closer);
  const headMs = Math.max(nowMs, fromMs);
  const atMs = Math.max(line.tailMs, headMs) + apartMs;
  const turn = line.turn + 1;
  if (atMs - headMs <= longestSpreadMs) return { line: { tailMs: atMs, turn }, atMs };
  // A line that is longer than that is looked through again within the minute: the limit may have been lifted.
  return { line: { ...line, turn }, atMs: headMs + (longestSpreadMs * (1 + evenly(turn))) / 2 };
};
