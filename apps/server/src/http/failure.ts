import { isDatabaseAway as isUnreachable } from '@holdfast/engine/postgres';
import { problemTypePrefix } from '@holdfast/operation';
import { codeOf } from '../settings/error-code.ts';
import { problemOf, problemResponse, Refusal } from './problem.ts';

/**
 * The database gave up on a transaction of this process, whose machine had frozen it. For who asks that is the same as
 * a database that is away.
 */
const gaveUpCodes = /^25P0[34]$/;

/** True where the database could not be reached or cannot serve just now, and we did not err: sending the same again will help. */
export const isDatabaseAway = (error: unknown): boolean =>
  isUnreachable(error) || gaveUpCodes.test(codeOf(error));

/**
 * Two transactions stood in each other's way and the database ended one of them whole: a deadlock, a serialization
 * failure, a lock or a statement that took longer than we let it.
 */
const isCollision = (error: unknown): boolean => /^(40P01|40001|55P03|57014)$/.test(codeOf(error));

export type FailureLog = (error: unknown, away: boolean) => void;

/**
 * What a thrown error becomes: a refusal as it is, anything else without a word of its inside.
 * @param retryAfter seconds, spread so that not all come back at once
 */
export const failureResponse = (error: unknown, log: FailureLog, retryAfter: () => string): Response => {
  const sendAgain = (detail: string): Response =>
    problemResponse(problemOf('unavailable', detail), { 'retry-after': retryAfter() });
  if (error instanceof Refusal) return problemResponse(error.problem, error.headers);
  const away = isDatabaseAway(error);
  log(error, away);
  if (away) return sendAgain('The database is not reachable at the moment. Nothing was lost; send it again.');
  if (isCollision(error)) {
    return sendAgain('Others were changing the same at the same moment. Nothing was lost; send it again.');
  }
  return problemResponse({
    type: `${problemTypePrefix}internal`,
    title: 'Holdfast made a mistake',
    status: 500,
    detail: 'It has been recorded. Whether the request took effect is answered by asking for the operation.',
    final: false,
  });
};
