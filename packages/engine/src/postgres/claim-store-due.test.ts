import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { dueOrganisations } from './claim-store-due.ts';

const row = { now_ms: '1000', org_id: 'org-1', due: '2', next_wake_ms: '900' };
const driverThatAnswers = (rows: readonly unknown[]): postgres.Sql =>
  ({ unsafe: () => Promise.resolve(rows) }) as unknown as postgres.Sql;

// Red when: the first place of the answer is taken for its first row.
test('an answer that begins with holes after a cut connection is read from its first row', async () => {
  const holed: unknown[] = [];
  holed[2] = row;
  expect(await dueOrganisations(driverThatAnswers(holed), null)).toEqual({
    nowMs: 1_000,
    organisations: [{ organisationId: 'org-1', due: 2, nextWakeAtMs: 900 }],
  });
});

// Red when: the time is read from a row that is not there.
test('an answer of holes alone finds nothing due, and says no time that is no number', async () => {
  const found = await dueOrganisations(driverThatAnswers(new Array<unknown>(2)), null);
  expect(found).toEqual({ nowMs: 0, organisations: [] });
});
