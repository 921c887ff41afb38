import { afterAll, beforeAll, expect, it } from 'vitest';
import { openHouse, type House } from '../house-rig.ts';
import { holdfast } from '../program.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.stop());

const run = (...words: string[]) => {
  const { settings, database } = house.opened;
  const variables = {
    DATABASE_URL: database.url,
    HOLDFAST_DATA_DIR: settings.dataFolder,
    HOLDFAST_DEMO: 'off',
  };
  return holdfast(variables, 'webhook', ...words);
};

// Red when: an empty list says nothing, or an event that never was counts as sent again.
it('the command line says where events go, and what cannot be sent again', async () => {
  const none = await run('list');
  expect([none.code, none.out]).toEqual([0, '']);
  expect(none.error).toContain('Events are sent nowhere.');
  const added = await run('add', 'https://example.com/in', '--json');
  const { id } = JSON.parse(added.out) as { id: string };
  const nothing = await run('redeliver', id, '--event', 'test_none');
  expect(nothing.code).toBe(1);
  expect(nothing.error).toContain('No such event was ever for this endpoint.');
  const { out: eventId } = await run('test', id);
  const again = await run('redeliver', id, '--event', eventId);
  expect([again.code, again.out]).toEqual([0, '1 event sent again now.']);
  expect((await run('deliveries', id)).out).toMatch(new RegExp(`^${eventId}  webhook.test  .*  0 attempts$`));
});
