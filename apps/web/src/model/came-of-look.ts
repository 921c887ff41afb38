import type { Operation, OperationDetail } from '@holdfast/operation';

/** How an operation stood when the provider was asked about it. */
export type AskedOf = Pick<Operation, 'id' | 'state' | 'lastCheckAt'>;

/**
 * What came of asking the provider about one operation. `looked`: it was looked at and stands as before; `shows` is
 * what the look is on record with.
 */
export type CameOfLook =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'not-heard' }
  | { readonly kind: 'looked'; readonly at: string }
  | { readonly kind: 'moved'; readonly state: Operation['state'] };

/** The provider has ten seconds to answer, and a worker comes to it within a few. */
export const longestWaitMs = 20_000;

/** Pure; `now` is the operation as it was read last, `null` where it could not be read. */
export const cameOfLook = (asked: AskedOf, now: AskedOf | null, waitedMs: number): CameOfLook => {
  if (now !== null && now.state !== asked.state) return { kind: 'moved', state: now.state };
  const last = now?.lastCheckAt ?? null;
  if (last !== null && Date.parse(last) > Date.parse(asked.lastCheckAt ?? '1970-01-01T00:00:00Z')) {
    return { kind: 'looked', at: last };
  }
  return { kind: waitedMs < longestWaitMs ? 'waiting' : 'not-heard' };
};

export type ShownByLook = 'nothing-yet' | 'no-answer' | 'nothing-new';

/** What the newest look showed of an operation that stands as before: never more than is on record. */
export const shownByLook = ({ observations = [] }: Pick<OperationDetail, 'observations'>): ShownByLook => {
  const newest = observations.findLast(({ source }) => source === 'look-up');
  if (newest?.kind === 'absent-yet') return 'nothing-yet';
  return newest?.kind === 'no-answer' ? 'no-answer' : 'nothing-new';
};
