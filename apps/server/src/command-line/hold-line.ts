import type { HoldState } from '@holdfast/engine';
import type { RestoreGap } from '@holdfast/operation';

/** How a hold stands, in one line; a reason ends as whoever wrote it ended it. */
export const holdLine = ({ on, since, by, reason }: HoldState): string => {
  if (!on) return 'Not on hold.';
  const because = reason === null ? '' : `: ${reason.trim().replace(/\.+$/, '')}`;
  return `On hold since ${since ?? '?'}, by ${by ?? '?'}${because}. Nothing is submitted; look-ups go on.`;
};

export const gapText: Readonly<Record<RestoreGap, string>> = {
  'to-look-up': 'not all that may have been sent was looked up since',
  'not-swept': 'no sweep has compared the ledgers since',
};
