import { expect, test } from 'vitest';
import type { AttemptReport } from '@holdfast/providers';
import { recordAnswer } from './record-answer.ts';

const attempt = { organisationId: 'org', operationId: 'op', attemptNumber: 1, fence: 1 };
const report: AttemptReport = {
  finding: { kind: 'unknown', because: 'reset' },
  status: null,
  requestId: null,
  replayed: false,
  providerDateMs: null,
};

/** Ports over a database that is away for so many tries. */
const portsWith = (failures: number, stopping: () => boolean) => {
  const seen = { stored: 0, tries: 0, pausesMs: [] as number[], troubles: [] as string[] };
  return {
    seen,
    ports: {
      store: () => {
        seen.tries += 1;
        if (seen.tries <= failures) return Promise.reject(new Error('away'));
        seen.stored += 1;
        return Promise.resolve();
      },
      pause: (ms: number) => {
        seen.pausesMs.push(ms);
        return Promise.resolve();
      },
      stopping,
      onTrouble: (message: string) => {
        seen.troubles.push(message);
      },
    },
  };
};

// Red when: there is a last try while the process runs.
test('an answer is kept and stored however long the database is away', async () => {
  const { ports, seen } = portsWith(1_000, () => false);
  expect(await recordAnswer(ports, attempt, report)).toBe(true);
  expect(seen.stored).toBe(1);
  expect(Math.max(...seen.pausesMs)).toBeLessThanOrEqual(5_000);
});

test('a stopping process tries for some seconds more, and says so when the answer is lost with it', async () => {
  const { ports, seen } = portsWith(Number.POSITIVE_INFINITY, () => true);
  expect(await recordAnswer(ports, attempt, report)).toBe(false);
  expect(seen.pausesMs.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(10_000);
  expect(seen.troubles.at(-1)).toContain('unsaved');
});
