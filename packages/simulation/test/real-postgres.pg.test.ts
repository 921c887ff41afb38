import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRealDatabase, planOf, runHistory, type RealDatabase } from '../src/simulation.ts';
import { ownCluster } from './own-cluster.ts';

let database: RealDatabase;
beforeAll(async () => {
  database = await createRealDatabase(ownCluster());
});
afterAll(() => database.close());

describe('histories on a real PostgreSQL', () => {
  // Red when: what the pretended one is spared goes wrong, such as two processes that write into one transaction's rows.
  test.each([1, 3, 17])(
    'nothing wrong happens while statements of several processes mix: seed %i',
    async (seed) => {
      const { violation, operations } = await runHistory(planOf(seed), database);
      expect(violation).toBeNull();
      expect(operations).toBeGreaterThan(0);
    },
  );
});
