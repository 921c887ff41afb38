import { problemTypePrefix } from '@holdfast/operation';
import { codeOf } from '../settings/error-code.ts';
import { problemOf, problemResponse, Refusal } from './problem.ts';

/**
 * SQLSTATE classes and driver codes that say the database is away, not that we erred. 25P03: it gave up on this process,
 * which had been frozen in the middle of a transaction.
 */
const awayCodes =
  /^(08|57P0|53|25P03)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|CONNECT_TIMEOUT|CONNECTION_(CLOSED|ENDED|DESTROYED))/;

/** True where the database could not be reached or is shutting down: sending the same again will help. */
export const isDatabaseAway = (error: unknown): boolean => awayCodes.test(codeOf(error));

/** Two transactions stood in each other's way and the database ended one of them whole: a deadlock, a serialization failure. */
const isCollision = (error: unknown): boolean => /^40(P01|001)$/.test(codeOf(error));

const sendAgain = (detail: string): Response =>
  problemResponse(problemOf('unavailable', detail), { 'retry-after': '2' });

export type FailureLog = (error: unknown, away: boolean) => void;

/** What a thrown error becomes: a refusal as it is, anything else without a word of its inside. */
export const failureResponse = (error: unknown, log: FailureLog): Response => {
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
