import type { LedgerAsking } from '@holdfast/engine';
import { expect, test } from 'vitest';
import type { Overload } from '../src/http/overload.ts';
import type { KeyScope } from '../src/sign-in/key-rules.ts';
import { appRig, organisationId } from './app-rig.ts';
import { engineDouble } from './engine-double.ts';

const operationId = '0196a000-0000-7000-8000-000000000001';

/** Whoever asks with a key of this scope, and what the engine was asked with; the gate writes down who enters. */
const asked = async (scope: KeyScope | undefined): Promise<{ asking: LedgerAsking; places: string[] }> => {
  const places: string[] = [];
  const overload: Overload = {
    during: (place, work) => {
      places.push(place);
      return work();
    },
    retryAfter: () => '1',
    databaseAway: () => undefined,
  };
  const askings: LedgerAsking[] = [];
  const { engine } = engineDouble({
    providerLedger: async (_who, _id, asking) => {
      askings.push(asking);
      await asking.inPlace(() => Promise.resolve());
      return null;
    },
  });
  const actor = {
    id: 'key-1',
    name: 'A key',
    role: 'operator',
    assistant: false,
    via: 'ownerless-key',
  } as const;
  const rig = appRig({
    engine,
    overload,
    identify: () =>
      Promise.resolve({
        principal: { organisationId, actor },
        ...{ subject: 'key-1', credential: 'key key-1', byCookie: false },
        ...(scope === undefined ? {} : { scope }),
      }),
  });
  const answer = await rig.ask('GET', `/v1/operations/${operationId}/provider-ledger`);
  expect(answer.status).toBe(404);
  const [asking] = askings;
  if (asking === undefined) throw new Error('the engine was not asked');
  return { asking, places };
};

// Red when: the route's work at the database passes the gate, or the wait for the provider holds a place.
test('what the provider’s side needs of the database takes a place, and the wait for the provider none', async () => {
  expect((await asked(undefined)).places).toEqual(['request', 'request-going-on']);
});

// Red when: the scope of the key is not looked at.
test('a key that only reads wakes no worker by looking', async () => {
  expect((await asked('read')).asking.mayWake).toBe(false);
  expect((await asked('role')).asking.mayWake).toBe(true);
  expect((await asked(undefined)).asking.mayWake).toBe(true);
});
