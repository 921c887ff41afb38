import { expect, it } from 'vitest';
import { createCanceller } from '../src/ports.ts';
import { OfflineRest } from '../src/browser/offline-rest.ts';

// Red when: `OfflineRest` sends while the browser says that it is offline, or rests although Holdfast was heard or a
// person asked.
it('rests while the browser says it has no network, unless a person asks or Holdfast is heard', async () => {
  let offline = true;
  const asked: string[] = [];
  const rest = new OfflineRest(() => offline);
  const sender = rest.over({
    runRound: ({ urgency }) => {
      asked.push(urgency);
      return Promise.resolve({ kind: 'rested', sent: 0, nextTryInMs: null });
    },
  });
  const round = (urgency: 'pauses-hold' | 'connection-may-be-back' | 'person-asked') =>
    sender.runRound({ urgency, cancellation: createCanceller() });
  await round('pauses-hold');
  await round('connection-may-be-back');
  expect(asked).toEqual([]);
  await round('person-asked');
  rest.heard();
  await round('pauses-hold');
  rest.wentOffline();
  await round('connection-may-be-back');
  offline = false;
  await round('connection-may-be-back');
  expect(asked).toEqual(['person-asked', 'pauses-hold', 'connection-may-be-back']);
});
