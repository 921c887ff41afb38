import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EntryRow } from '../src/queue/stored-rows.ts';
import { classifyBatch } from '../src/send/batch-verdict.ts';
import { refundWire } from '../src/send/refund-wire.ts';
import { PretendDevice } from './pretend-device.ts';
import { PretendHoldfast } from './pretend-holdfast.ts';
import { PretendNetwork, TabKilled } from './pretend-network.ts';
import type { NetworkOutcome } from './pretend-network.ts';
import { createMint, sampleOperation, sampleProblem } from './samples.ts';

const open = async (itemCount: number) => {
  const server = new PretendHoldfast();
  const outcomes: NetworkOutcome[] = [];
  const network = new PretendNetwork(server, () => outcomes.shift() ?? 'arrives');
  const device = new PretendDevice(network);
  await device.signIn();
  const ids: string[] = [];
  for (let item = 1; item <= itemCount; item += 1) {
    device.nowMs += 1;
    ids.push(await device.queue(`order-${String(item)}`));
  }
  const countsOf = () => network.requests.map(({ commandIds }) => commandIds.length);
  return { server, outcomes, network, device, ids, countsOf };
};

const bodyOf = (device: PretendDevice, operationId: string): string | undefined =>
  ([...device.store.rows.entries.values()] as EntryRow[]).find((row) => row.operationId === operationId)
    ?.body;

describe('a queue goes out in batches', () => {
  // Red when: a batch carries one command, its body is written anew, or its results are not recorded at once.
  it('hundreds of items in a few requests, each command byte for byte as it was stored', async () => {
    const { server, device, ids, network, countsOf } = await open(200);
    let changes = 0;
    const change = device.store.change.bind(device.store);
    device.store.change = (scope, decide) => {
      changes += 1;
      return change(scope, decide);
    };
    expect(await device.round(device.tab())).toMatchObject({ kind: 'rested', sent: 200, nextTryInMs: null });
    expect(countsOf()).toEqual([32, 128, 40]);
    // Two for each batch, and two for the lease.
    expect(changes).toBe(2 * 3 + 2);
    expect([...server.operations.keys()]).toEqual(ids);
    for (const { commandIds, request } of network.requests) {
      const stored = commandIds.map((id) => bodyOf(device, id));
      expect(request.body).toBe(`{"commands":[${stored.join(',')}]}`);
    }
    expect((await device.items()).every(({ safety }) => safety === 'received')).toBe(true);
  });

  // Red when: the attempts' rows are written after the request, or not for each entry.
  it('a tab killed in mid-batch: each of its items may have been sent, and each goes out once', async () => {
    const { server, device, ids, outcomes } = await open(40);
    outcomes.push('killed-after');
    await expect(device.round(device.tab())).rejects.toThrow(TabKilled);
    const sent = (await device.items()).filter(({ mayHaveBeenSent }) => mayHaveBeenSent);
    expect(sent).toHaveLength(32);
    expect(sent.every(({ safety, ending }) => safety === 'maybe-sent' && ending === null)).toBe(true);
    device.nowMs += 60_000;
    await device.round(device.tab());
    expect(server.operations.size).toBe(40);
    for (const id of ids) expect(new Set(server.textsOf(id))).toEqual(new Set([bodyOf(device, id)]));
    expect((await device.items()).every(({ safety }) => safety === 'received')).toBe(true);
  });

  // Red when: `firstOf` or `supersededBlock` is not asked again before a batch begins.
  it('a later command of an operation waits for the verdict of the earlier one, in a batch of its own', async () => {
    const { device, network, ids } = await open(3);
    const [id = ''] = ids;
    await device.decide({ type: 'approve', operationId: id, fingerprint: 'f'.repeat(64) });
    await device.round(device.tab());
    expect(network.requests.map(({ commandIds }) => commandIds.length)).toEqual([3, 1]);
    expect((await device.items()).every(({ safety }) => safety === 'received')).toBe(true);
  });

  it('Retry-After holds for all that went together, for the rest, and for the other tab', async () => {
    const { server, device, outcomes } = await open(40);
    outcomes.push('busy-503', 'busy-503', 'busy-503');
    const tab = device.tab();
    await device.round(tab);
    const other = device.tab();
    device.nowMs += 29_000;
    await device.round(tab, 'connection-may-be-back');
    outcomes.length = 0;
    expect(await device.round(other, 'connection-may-be-back')).toMatchObject({ kind: 'rested', sent: 0 });
    expect(server.arrived).toHaveLength(0);
    await device.round(other, 'person-asked');
    expect(server.operations.size).toBe(40);
  });
});

describe('one item that spoils the request it goes in', () => {
  // Red when: a trouble that may be of one command does not halve the batch, or what failed alone does not go last.
  it.each([
    ['error-500', 'server-trouble'],
    ['error-500-after', 'server-trouble'],
    ['foreign-json', 'not-understood'],
    ['unknown-problem', 'not-understood'],
    ['too-large-413', 'too-large'],
    ['not-found-404', 'foreign-answer'],
    ['timed-out-after', 'timed-out'],
  ] as const)('%s: it ends up alone with its reason, and all others go out', async (outcome, reason) => {
    const { device, network, ids } = await open(100);
    const poison = ids[41] ?? '';
    network.poison.set(poison, outcome);
    const tab = device.tab();
    let rounds = 0;
    const isReceived = async () => {
      const items = await device.items();
      return items.filter(({ safety }) => safety === 'received').length === 99;
    };
    while (!(await isReceived()) && rounds < 20) {
      rounds += 1;
      await device.round(tab, 'connection-may-be-back');
      device.nowMs += 1_000;
    }
    for (let more = 0; more < 3; more += 1) {
      device.nowMs += 61_000;
      await device.round(tab, 'connection-may-be-back');
    }
    const items = await device.items();
    expect(items.filter(({ ending }) => ending === null).map(({ operationId }) => operationId)).toEqual([
      poison,
    ]);
    expect(items.find(({ operationId }) => operationId === poison)).toMatchObject({ notSentBecause: reason });
    expect(network.requests.at(-1)?.commandIds).toEqual([poison]);
    expect(rounds).toBeLessThan(20);
    // And whatever is queued from now on does not suffer from it.
    const late = await device.queue('order-late');
    await device.round(tab, 'connection-may-be-back');
    const item = (await device.items()).find(({ operationId }) => operationId === late);
    expect(item).toMatchObject({ safety: 'received', attemptCount: 1 });
  });
});

// Red when: what was refused together is not parted in the same round.
describe('a batch that is refused', () => {
  it('is parted at once, in the same round, without waiting for anybody’s pause', async () => {
    const { device, network, ids, countsOf } = await open(64);
    network.poison.set(ids[40] ?? '', 'error-500');
    await device.round(device.tab());
    expect(countsOf().slice(0, 3)).toEqual([32, 32, 16]);
  });
});

describe('each result of a batch is judged by itself', () => {
  const mint = createMint(50);
  const asked = Array.from({ length: 3 }, mint).map((id) => ({ commandId: id, operationId: id }));
  const [one = asked[0], two = asked[0], three = asked[0]] = asked;
  const applied = (id = '') => ({ commandId: id, status: 'applied', operation: sampleOperation(id) });
  const classify = (...results: unknown[]) => {
    const answer = { kind: 'answered', status: 200, redirected: false, retryAfter: null } as const;
    const text = JSON.stringify({ results });
    return classifyBatch(refundWire, { ...answer, contentType: 'application/json', text }, asked, 0);
  };
  const kept = { kind: 'kept', reason: 'not-understood' };
  const verdict = { kind: 'verdict' };

  // Red when: the list is read as a whole, by place instead of by ID, or the first of two results is taken.
  it.each<[string, unknown[], object[]]>([
    [
      'in another order',
      [applied(three?.commandId), applied(two?.commandId), applied(one?.commandId)],
      [verdict, verdict, verdict],
    ],
    ['one is missing', [applied(one?.commandId), applied(three?.commandId)], [verdict, kept, verdict]],
    [
      'one is half',
      [applied(one?.commandId), { commandId: two?.commandId }, applied(three?.commandId)],
      [verdict, kept, verdict],
    ],
    ['one is nothing', [applied(one?.commandId), null, applied(three?.commandId)], [verdict, kept, verdict]],
    [
      'one is about another operation',
      [
        applied(one?.commandId),
        { ...applied(one?.commandId), commandId: two?.commandId },
        applied(three?.commandId),
      ],
      [verdict, kept, verdict],
    ],
    [
      'one is named twice, with different verdicts',
      [
        applied(one?.commandId),
        applied(two?.commandId),
        { commandId: two?.commandId, status: 'rejected', problem: sampleProblem('stale', 409) },
        applied(three?.commandId),
      ],
      [verdict, kept, verdict],
    ],
    [
      'one is named twice, with the same verdict',
      [...asked, one].map((named) => applied(named?.commandId)),
      [verdict, verdict, verdict],
    ],
    [
      'somebody else’s as well',
      [applied(mint()), ...asked.map((named) => applied(named.commandId))],
      [verdict, verdict, verdict],
    ],
  ])('%s', (_name, results, outcomes) => {
    expect(classify(...results)).toMatchObject({ kind: 'each', outcomes });
  });

  it('none of them is named: nothing was understood', () => {
    expect(classify(applied(mint()))).toMatchObject({ kind: 'whole', kept });
    expect(classify()).toMatchObject({ kind: 'whole', kept });
  });
});

describe('a verdict that cannot be stored', () => {
  const failing = async (itemCount: number) => {
    const world = await open(itemCount);
    const change = world.device.store.change.bind(world.device.store);
    const disk = { isFull: false };
    world.device.store.change = (scope, decide) =>
      change(scope, (snapshot) => {
        const decision = decide(snapshot);
        const isRecording = (decision.writes.addLog ?? []).some(
          ({ event }) => event.kind === 'attempt-ended',
        );
        if (disk.isFull && isRecording) throw new DOMException('the disk is full', 'QuotaExceededError');
        return decision;
      });
    return { ...world, disk };
  };

  // Red when: `runRound` does not store what is in hand first, or forgets it when storing fails.
  it('stops sending until it is stored, and nothing is asked twice', async () => {
    const { device, server, disk, countsOf } = await failing(40);
    const tab = device.tab();
    disk.isFull = true;
    for (let turn = 0; turn < 3; turn += 1) {
      await expect(device.round(tab, 'person-asked')).rejects.toThrow('the disk is full');
      expect(countsOf()).toEqual([32]);
    }
    expect((await device.items()).every(({ ending }) => ending === null)).toBe(true);
    disk.isFull = false;
    await device.round(tab);
    expect(countsOf()).toEqual([32, 8]);
    expect(server.arrived).toHaveLength(40);
    expect((await device.items()).every(({ safety }) => safety === 'received')).toBe(true);
  });

  it('and the tab ends before it could be: the same is asked again, and nothing happens twice', async () => {
    const { device, server, disk } = await failing(5);
    disk.isFull = true;
    await expect(device.round(device.tab())).rejects.toThrow('the disk is full');
    disk.isFull = false;
    await device.round(device.tab(), 'person-asked');
    expect(server.arrived).toHaveLength(10);
    expect(server.operations.size).toBe(5);
    expect((await device.items()).map(({ ending }) => ending?.how)).toEqual(Array(5).fill('verdict'));
  });
});

describe('no limit and no expiry', () => {
  const kept = [
    'refused-connection',
    'lost-answer',
    'timed-out-after',
    'error-500',
    'html-502',
    'busy-503',
    'rate-limited',
    'sign-in-page',
    'html-200',
    'signed-out',
    'wrong-subject',
    'role-removed',
    'foreign-json',
    'half-a-body',
    'another-command',
    'unknown-problem',
    'too-large-413',
    'not-found-404',
  ] as const;

  // Red when: anything counts tries or days, or one of these answers ends an entry.
  it('whatever was answered, however often, over however long: all are here, unchanged, and go out', async () => {
    const long = fc.array(fc.constantFrom(...kept), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(long, fc.integer({ min: 0, max: 40 }), async (answers, days) => {
        const { device, server, outcomes, ids } = await open(3);
        const bodies = ids.map((id) => bodyOf(device, id));
        outcomes.push(...answers);
        while (outcomes.length > 0) {
          device.nowMs += days * 86_400_000 + 1;
          await device.round(device.tab(), 'person-asked');
        }
        expect(ids.map((id) => bodyOf(device, id))).toEqual(bodies);
        await device.signIn();
        for (let turn = 0; turn < 3; turn += 1) await device.round(device.tab(), 'person-asked');
        expect([...server.operations.keys()].sort()).toEqual([...ids].sort());
        expect((await device.items()).every(({ safety }) => safety === 'received')).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
