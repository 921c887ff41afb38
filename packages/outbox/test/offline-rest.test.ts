import { beforeEach, describe, expect, it } from 'vitest';
import { createCanceller } from '../src/ports.ts';
import { OfflineRest } from '../src/browser/offline-rest.ts';
import { probeReach } from '../src/send/reach-probe.ts';
import { refundWire } from '../src/send/refund-wire.ts';
import type { Reach } from '../src/send/reach-probe.ts';
import type { Delivery } from '../src/send/verdict.ts';
import { PretendDevice } from './pretend-device.ts';

type Urgency = 'pauses-hold' | 'connection-may-be-back' | 'person-asked';

describe('while the browser says it has no network', () => {
  let offline = true;
  let nowMs = 0;
  let reach: Reach = 'silent';
  let probes = 0;
  let sent: string[] = [];
  let rest: OfflineRest;
  beforeEach(() => {
    [offline, nowMs, reach, probes, sent] = [true, 1_000_000, 'silent', 0, []];
    rest = new OfflineRest({
      probe: () => {
        probes += 1;
        return Promise.resolve(reach);
      },
      clock: { nowMs: () => nowMs },
      chance: () => 0.999,
      pauses: { firstMs: 1_000, longestMs: 60_000 },
      saysOffline: () => offline,
    });
  });
  const round = (urgency: Urgency) =>
    rest
      .over({
        runRound: (options) => {
          sent.push(options.urgency);
          return Promise.resolve({ kind: 'rested', sent: 0, nextTryInMs: null });
        },
      })
      .runRound({ urgency, cancellation: createCanceller() });

  // Red when: a feed that was told of before the network went ends the rest.
  it('nothing is begun by a feed that came up to date with what was told before', async () => {
    rest.feedIsLive();
    await round('connection-may-be-back');
    expect(sent).toEqual([]);
  });

  // Red when: `OfflineRest` sends while the browser says that it is offline and nobody answers, or rests although
  // Holdfast was heard or a person asked.
  it('nothing is begun, unless a person asks or Holdfast is heard', async () => {
    await round('pauses-hold');
    await round('connection-may-be-back');
    expect(sent).toEqual([]);
    await round('person-asked');
    rest.heard();
    await round('pauses-hold');
    rest.wentOffline();
    await round('connection-may-be-back');
    offline = false;
    await round('connection-may-be-back');
    expect(sent).toEqual(['person-asked', 'pauses-hold', 'connection-may-be-back']);
  });

  // Red when: an answer does not end the rest, the rest names no next try, or its pauses grow past a minute.
  it('somebody is asked, never more than a minute apart and not at each wake, and an answer ends it', async () => {
    const pausesMs: number[] = [];
    for (let count = 0; count < 12; count += 1) {
      const { nextTryInMs } = await round('pauses-hold');
      if (nextTryInMs === null) throw new Error('nothing would ever wake it');
      pausesMs.push(nextTryInMs);
      await round('connection-may-be-back');
      nowMs += nextTryInMs;
    }
    expect(probes).toBe(12);
    expect(pausesMs[0]).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...pausesMs)).toBeLessThanOrEqual(60_000);
    reach = 'heard';
    await round('pauses-hold');
    await round('pauses-hold');
    expect(sent).toEqual(['pauses-hold', 'pauses-hold']);
    expect(probes).toBe(13);
  });

  // Red when: a clock that was set back keeps it from asking.
  it('a clock that was set back makes no pause longer', async () => {
    await round('pauses-hold');
    nowMs -= 86_400_000;
    await round('pauses-hold');
    expect(probes).toBe(2);
  });

  it('nobody is asked for nothing, and a sign-out that is owed goes out', async () => {
    reach = 'nothing-waits';
    expect(await round('pauses-hold')).toMatchObject({ nextTryInMs: null });
    reach = 'sign-out-owed';
    await round('pauses-hold');
    expect(sent).toEqual(['pauses-hold']);
  });
});

describe('asking whether anybody answers', () => {
  // Red when: the probe sends what waits, marks it as sent, or takes a silence for an answer.
  it.each<[string, Delivery, Reach]>([
    ['no network', { kind: 'threw', detail: 'TypeError' }, 'silent'],
    ['no answer in time', { kind: 'timed-out' }, 'silent'],
    [
      'a refusal by Holdfast',
      {
        kind: 'answered',
        status: 401,
        redirected: false,
        contentType: 'application/problem+json',
        retryAfter: null,
        text: '{"type":"urn:holdfast:unauthorized","title":"","status":401,"detail":""}',
      },
      'heard',
    ],
  ])('%s', async (_name, delivery, expected) => {
    const asked: string[] = [];
    const transport = {
      send: ({ path }: { path: string }): Promise<Delivery> => {
        asked.push(path);
        return Promise.resolve(delivery);
      },
    };
    const device = new PretendDevice(transport);
    await device.signIn();
    const ports = {
      wire: refundWire,
      store: device.store,
      transport,
      clock: { nowMs: () => device.nowMs },
      requestTimeoutMs: 20_000,
      heard: () => undefined,
    };
    expect(await probeReach(ports, createCanceller())).toBe('nothing-waits');
    await device.queue('order-1');
    expect(await probeReach(ports, createCanceller())).toBe(expected);
    expect(asked).toEqual(['/v1/operations/lookup']);
    expect((await device.items())[0]).toMatchObject({ mayHaveBeenSent: false, safety: 'saved' });
  });
});
