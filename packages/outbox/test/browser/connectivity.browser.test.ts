import { afterEach, describe, expect, it } from 'vitest';
import { browserClock } from '../../src/browser/browser-world.ts';
import { ConnectivityBoard } from '../../src/browser/connectivity-board.ts';
import { BrowserWorld } from './browser-world.ts';
import type { Tab } from './browser-world.ts';

const boards = (name: string): [ConnectivityBoard, ConnectivityBoard] => {
  const open = (holder: string): ConnectivityBoard => {
    const ports = { channelName: name, holder, clock: browserClock, requestTimeoutMs: 20_000 };
    const board = new ConnectivityBoard(ports);
    board.open();
    return board;
  };
  return [open('one'), open('other')];
};

describe('what one tab hears, all tabs know', () => {
  // Red when: an exchange is not told to the other tabs, or only its trouble is.
  it('a trouble shows in every tab, and one good answer clears every trouble in all of them', async () => {
    const [one, other] = boards(`board-${performance.now()}`);
    for (const trouble of ['unreachable', 'network-sign-in', 'server-trouble'] as const) {
      one.heard(trouble);
      await expect.poll(() => other.current.trouble).toBe(trouble);
      other.heard(null);
      await expect.poll(() => one.current).toMatchObject({ holdfast: 'reached', trouble: null });
      expect(other.current).toMatchObject({ holdfast: 'reached', trouble: null });
    }
    one.close();
    other.close();
  });
});

describe('after a restart without a connection', () => {
  let world: BrowserWorld;
  afterEach(() => world.close());

  const lastHeard = async (tab: Tab): Promise<number | null> => {
    const read = await world.read(tab, { of: 'connectivity' });
    return read.state === 'ready' ? read.value.lastHeardAtMs : null;
  };

  // Red when: what was last heard is kept in the tab alone.
  it('it is still known when Holdfast was last heard from', async () => {
    world = await BrowserWorld.open({ readFeed: true });
    await world.tell({ do: 'greeting', text: 'event: live\ndata: {"generation":"g-1"}\nid: c-1\n\n' });
    const tab = await world.openTab();
    await expect.poll(() => lastHeard(tab)).not.toBeNull();
    const heardAtMs = (await lastHeard(tab)) ?? 0;
    await tab.outbox.stop();
    tab.kill();
    await world.tell({ do: 'close' });
    const again = await world.openTab({});
    await expect.poll(() => lastHeard(again)).not.toBeNull();
    expect(Math.abs(((await lastHeard(again)) ?? 0) - heardAtMs)).toBeLessThan(10_000);
    const read = await world.read(again, { of: 'connectivity' });
    expect(read).toMatchObject({ state: 'ready' });
    expect(read.state === 'ready' && read.value.holdfast).not.toBe('reached');
  });
});
