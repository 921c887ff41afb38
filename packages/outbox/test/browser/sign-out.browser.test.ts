import { afterEach, describe, expect, it } from 'vitest';
import { BrowserWorld } from './browser-world.ts';

let world: BrowserWorld;
afterEach(async () => {
  localStorage.removeItem(`${world.name}-sign-out`);
  await world.close();
});

/** An older tab that does not let go of the storage. */
const hold = async (name: string): Promise<() => void> => {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(`${name}-queue`, 10);
    request.onerror = () => reject(new Error('the older tab could not open it'));
    request.onupgradeneeded = () => {
      const stores = { drafts: 'operationId', entries: 'key', log: 'id', unended: 'id', state: 'key' };
      for (const [store, keyPath] of Object.entries(stores))
        request.result.createObjectStore(store, { keyPath });
    };
    request.onsuccess = () => resolve(request.result);
  });
  return () => database.close();
};

describe('a sign-out while somebody is being let in', () => {
  // Red when: what lets somebody in is written after their sign-out, which it takes for an earlier one's.
  it('holds, whoever of the two is written last', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab({ subject: 'ann' });
    await Promise.all([tab.outbox.signedIn('ann'), tab.outbox.signedOut()]);
    expect(tab.outbox.subject()).toBe(null);
    expect(await tab.outbox.settleSignOut()).toBe(true);
    expect((await world.report()).signOuts).toBeGreaterThan(0);
    expect(await world.read(tab, { of: 'session' })).toMatchObject({ value: { subject: null } });
    tab.kill();
    const again = await world.openTab({ subject: null });
    expect(await world.read(again, { of: 'session' })).toMatchObject({ value: { subject: null } });
  });
});

describe('a sign-out while storage cannot be used', () => {
  // Red when: `settleSignOut` says that nothing is owed where storage cannot say; when the note is not written first;
  // when storage, once it opens, lets in who had signed out.
  it('is owed all the same: the server hears of it first, and storage lets nobody back in when it opens', async () => {
    world = await BrowserWorld.open();
    const letGo = await hold(world.name);
    const tab = await world.openTab({ subject: 'ann' });
    await world.tell({ do: 'close' });
    await expect(tab.outbox.signedOut()).rejects.toThrow();
    expect(tab.outbox.subject()).toBe(null);
    expect(await tab.outbox.settleSignOut()).toBe(false);
    tab.kill();

    const again = await world.openTab({ subject: null });
    expect(await again.outbox.settleSignOut()).toBe(false);
    letGo();
    await expect
      .poll(async () => (await world.read(again, { of: 'session' })).state, { timeout: 10_000 })
      .toBe('ready');
    expect(await again.outbox.settleSignOut()).toBe(false);
    await world.tell({ do: 'listen' });
    expect(await again.outbox.settleSignOut()).toBe(true);
    // Without locks a round may ask beside us: the same session is ended twice, which is once.
    expect((await world.report()).signOuts).toBeGreaterThan(0);
    expect(await world.read(again, { of: 'session' })).toMatchObject({
      value: { subject: null, signOutOwed: false },
    });
  });

  // Red when: what one person left in the caches is shown to the next because it could not be dropped in time.
  it('the next person starts with empty caches, whatever became of the last one’s', async () => {
    world = await BrowserWorld.open({ readFeed: true });
    const tab = await world.openTab({ subject: 'ann' });
    const operationId = await world.queue(tab);
    await world.untilReceived(tab, operationId);
    await expect
      .poll(async () => (await world.read(tab, { of: 'operation', operationId })).state, { timeout: 10_000 })
      .toBe('ready');
    await tab.outbox.stop();
    tab.kill();
    // Ann left where nothing could be dropped: nobody is here, and the caches still hold what she saw.
    await world.tell({ do: 'close' });
    const nobody = await world.openTab({ subject: null }, { readFeed: false });
    await nobody.outbox.stop();
    nobody.kill();
    const next = await world.openTab({ subject: 'bob' }, { readFeed: false });
    expect(await world.read(next, { of: 'operations' })).toMatchObject({ value: [] });
    await world.tell({ do: 'listen' });
  });
});
