import { isCarriedOutUnrecorded, type Operation, type OperationDetail } from '@holdfast/operation';

const ends: readonly string[] = ['deny', 'cancel', 'late-proposal', 'expire'];

/**
 * Whether it is contradicted only in that it was carried out and nothing here says that it was sent, as after a restore.
 * Without its history at hand, that somebody had ended it is not known, and only what is true of both may be said.
 */
export const carriedOutUnrecorded = (
  operation: Operation,
  timeline: OperationDetail['timeline'] | null,
): boolean =>
  isCarriedOutUnrecorded({
    ...operation,
    ended: timeline?.some(({ type }) => ends.includes(type)) === true,
  });
