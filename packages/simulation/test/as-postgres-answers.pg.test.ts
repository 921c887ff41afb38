import { expect, test } from 'vitest';
import { createSharedDatabase, planOf, runHistory } from '../src/simulation.ts';
import { ownCluster } from './own-cluster.ts';
import { recordTalk } from './recorded-talk.ts';
import { tellAgain } from './told-again.ts';

// Red when: the pretended PostgreSQL answers any statement of a history otherwise than a real one does.
test.each([4, 5])(
  'a real PostgreSQL answers each statement of a history as the pretended one did: seed %i',
  async (seed) => {
    const { watched, talk, timesPutBack } = recordTalk();
    const database = await createSharedDatabase(watched);
    await runHistory(planOf(seed), database);
    expect(timesPutBack()).toBe(1);
    const { asked, differences } = await tellAgain(ownCluster(), talk());
    expect(differences.slice(0, 3)).toEqual([]);
    expect(asked).toBeGreaterThan(500);
  },
);
