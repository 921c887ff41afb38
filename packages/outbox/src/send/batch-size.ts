import type { KeptReason } from '../outbox-interface.ts';
import type { PlannedEntry } from './send-plan.ts';

/** The server takes no more commands in one request. */
export const mostCommands = 500;
/** A character is at most three bytes, so a request stays under 1 MB; the server takes 4 MiB. */
export const mostCharacters = 300_000;
/** What a sender begins with that has met no trouble yet. */
export const firstCommands = 32;
const growth = 4;

/** What one request met. `commandCount` is how many commands it carried, `isQuick` whether the answer came soon. */
export type BatchMet =
  | { readonly kind: 'answered'; readonly commandCount: number; readonly isQuick: boolean }
  | { readonly kind: 'trouble'; readonly commandCount: number; readonly reason: KeptReason };

/** Troubles that one command may have brought upon all that went with it: halved, until it stands alone. */
const perhapsOfOne: readonly KeptReason[] = [
  'too-large',
  'not-understood',
  'server-trouble',
  'timed-out',
  'foreign-answer',
];

export const isPerhapsOfOne = (reason: KeptReason): boolean => perhapsOfOne.includes(reason);

/** Such troubles are cured by parting the batch, at once: what was refused with others is sent apart from them. */
export const isCuredByParting = (reason: KeptReason): boolean =>
  isPerhapsOfOne(reason) && reason !== 'timed-out';

/**
 * How many commands the next request may carry. Quick answers let it grow, up to what the server takes; a trouble
 * that may be of one command halves it; after any other trouble one command finds out whether it is over, so that
 * the others are not marked as perhaps sent for nothing.
 */
export const sizeAfter = (size: number, met: BatchMet): number => {
  if (met.kind === 'answered') {
    return met.isQuick ? Math.min(mostCommands, Math.max(size, met.commandCount * growth)) : size;
  }
  if (met.reason === 'interrupted') return size;
  if (isPerhapsOfOne(met.reason) || met.reason === 'slow-down') {
    return Math.max(1, Math.min(size, Math.floor(met.commandCount / 2)));
  }
  return 1;
};

/**
 * The entries of the next request, from those that are due, in their order: at most `size`, written in one version
 * of the wire, one of each operation, and none that failed by itself before beside one that did not.
 */
export const chooseBatch = (due: readonly PlannedEntry[], size: number): readonly PlannedEntry[] => {
  const [first] = due;
  if (first === undefined) return [];
  const chosen: PlannedEntry[] = [];
  const operations = new Set<string>();
  let characters = 0;
  for (const planned of due) {
    if (chosen.length >= size) break;
    const { entry } = planned.record;
    const isAlike = entry.protocol === first.record.entry.protocol && planned.isSuspect === first.isSuspect;
    if (!isAlike || operations.has(entry.operationId)) continue;
    if (chosen.length > 0 && characters + entry.body.length > mostCharacters) continue;
    chosen.push(planned);
    operations.add(entry.operationId);
    characters += entry.body.length;
  }
  return chosen;
};
