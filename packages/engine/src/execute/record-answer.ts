import type { AttemptReport } from '@holdfast/providers';

/** One attempt of one operation: what a report is filed under. */
export type AttemptIdentity = {
  readonly organisationId: string;
  readonly operationId: string;
  readonly attemptNumber: number;
  readonly fence: number;
};

export type RecordAnswerPorts = {
  /** Stores the attempt's end and its observation in one transaction. Throws while the database is away. */
  readonly store: (attempt: AttemptIdentity, report: AttemptReport) => Promise<void>;
  /** Resolves after about this long, or at once when the process is stopping. */
  readonly pause: (ms: number) => Promise<void>;
  readonly stopping: () => boolean;
  readonly onTrouble: (message: string, attempt: AttemptIdentity, error: unknown) => void;
};

const longestPauseMs = 5_000;
/** A process that is told to stop is killed if it takes too long. */
const longestPauseWhileStoppingMs = 250;
/** How often a stopping process still tries to save an answer before it says that it could not. */
const triesWhileStopping = 20;

/**
 * Makes the answer of one request durable before anything else happens to it. While the database is away the answer
 * stays in memory and storing it is tried again, for ever: the request itself is never made again for it.
 * @returns false only when the process had to stop with the answer unsaved; the lease then ends and the provider is asked
 */
export const recordAnswer = async (
  ports: RecordAnswerPorts,
  attempt: AttemptIdentity,
  report: AttemptReport,
): Promise<boolean> => {
  let triesAfterStop = 0;
  for (let tries = 0; ; tries += 1) {
    try {
      await ports.store(attempt, report);
      return true;
    } catch (error) {
      ports.onTrouble('an answer of the provider could not be saved; trying again', attempt, error);
      if (ports.stopping()) triesAfterStop += 1;
      if (triesAfterStop > triesWhileStopping) {
        ports.onTrouble(
          'stopped with an answer of the provider unsaved; it will be asked again',
          attempt,
          error,
        );
        return false;
      }
      const longestMs = ports.stopping() ? longestPauseWhileStoppingMs : longestPauseMs;
      await ports.pause(Math.min(100 * 2 ** Math.min(tries, 8), longestMs));
    }
  }
};
