import { describe, expect, it } from 'vitest';
import { keptReasons } from '../src/outbox-interface.ts';
import { failuresUntilNeedsYou } from '../src/queue/entry-history.ts';
import { decideBeginBatch } from '../src/send/begin-decision.ts';
import { statusSummary } from '../src/read/device-item.ts';
import type { EntryRow } from '../src/queue/stored-rows.ts';
import { PretendDevice } from './pretend-device.ts';
import { PretendHoldfast } from './pretend-holdfast.ts';
import { PretendNetwork, TabKilled } from './pretend-network.ts';
import type { NetworkOutcome } from './pretend-network.ts';
import { sampleOrderSeen, sampleProposal } from './samples.ts';

const open = async () => {
  const server = new PretendHoldfast();
  const outcomes: NetworkOutcome[] = [];
  const network = new PretendNetwork(server, () => outcomes.shift() ?? 'arrives');
  const device = new PretendDevice(network);
  await device.signIn();
  return { server, outcomes, network, device };
};

const entriesOf = (device: PretendDevice): EntryRow[] =>
  [...device.store.rows.entries.values()] as EntryRow[];

const fingerprint = 'f'.repeat(64);

describe('a person acts twice', () => {
  // Red when: `decideQueue` does not look for the entry that is there, or `begin` mints without looking.
  it('F026: two clicks, Enter with a click and a double tap are one ID, one item, one proposal', async () => {
    const { device, server } = await open();
    const begun = await Promise.all([1, 2, 3].map(() => device.intents.begin(sampleOrderSeen())));
    const ids = new Set(begun.map((one) => (one.kind === 'draft' ? one.draft.operationId : one.kind)));
    expect(ids.size).toBe(1);
    const [operationId = ''] = ids;
    const clicks = [1, 2, 3, 4, 5].map(() => device.queueAgain(operationId, 'order-1'));
    const answers = await Promise.all(clicks);
    expect(answers.map((answer) => answer.saved && answer.again)).toEqual([false, true, true, true, true]);
    expect(entriesOf(device)).toHaveLength(1);
    await Promise.all([device.round(device.tab()), device.round(device.tab())]);
    await device.queueAgain(operationId, 'order-1');
    await device.round(device.tab(), 'person-asked');
    expect(server.textsOf(operationId)).toHaveLength(1);
    expect(server.operations.size).toBe(1);
  });

  // Red when: `decideBegin` opens a new draft although the order's refund was queued here.
  it('F028: after sending, a reload, a page brought back and a reopened tab meet the same operation', async () => {
    const { device, server } = await open();
    const operationId = await device.queue('order-1');
    const here = { kind: 'already-queued', operationId };
    expect(await device.intents.begin(sampleOrderSeen())).toEqual(here);
    await device.round(device.tab());
    expect(await device.intents.begin(sampleOrderSeen())).toEqual(here);
    server.change(operationId, { state: 'confirmed' });
    expect(await device.intents.begin(sampleOrderSeen())).toEqual(here);
    expect(entriesOf(device)).toHaveLength(1);
  });

  // Red when: `decideIntent` does not look for the same intent.
  it('F026: a double tap on approve is one command, before and after its verdict', async () => {
    const { device, server } = await open();
    const operationId = await device.queue('order-1');
    await device.round(device.tab());
    const approve = { type: 'approve', operationId, fingerprint } as const;
    const taps = await Promise.all([device.decide(approve), device.decide(approve)]);
    await device.round(device.tab(), 'person-asked');
    taps.push(await device.decide(approve));
    expect(new Set(taps.map((tap) => tap.saved && tap.itemKey)).size).toBe(1);
    await device.round(device.tab(), 'person-asked');
    expect(server.arrived.filter(({ type }) => type === 'approve')).toHaveLength(1);
  });
});

describe('F084: an item leaves only by an answer that names it', () => {
  const cases: [string, NetworkOutcome, string][] = [
    ['connection refused', 'refused-connection', 'unreachable'],
    ['the answer lost', 'lost-answer', 'unreachable'],
    ['500', 'error-500', 'server-trouble'],
    ['500 after it was taken', 'error-500-after', 'server-trouble'],
    ['503 with Retry-After', 'busy-503', 'server-trouble'],
    ['502 with a web page', 'html-502', 'server-trouble'],
    ['no answer in time', 'timed-out-after', 'timed-out'],
    ['half an answer', 'half-a-body', 'not-understood'],
    ['an answer about something else', 'another-command', 'not-understood'],
  ];

  // Red when: `decideEndAttempt` writes an end for a kept outcome, or the request's body is made anew.
  it.each(cases)('F084: %s', async (_name, outcome, reason) => {
    const { device, server, outcomes } = await open();
    const operationId = await device.queue('order-1');
    const body = entriesOf(device)[0]?.body;
    outcomes.push(outcome);
    const tab = device.tab();
    await device.round(tab);
    const [kept] = await device.items();
    expect(kept).toMatchObject({ operationId, ending: null, notSentBecause: reason, mayHaveBeenSent: true });
    device.nowMs += 60_000;
    await device.round(tab);
    const [ended] = await device.items();
    expect(ended).toMatchObject({ operationId, safety: 'received', ending: { how: 'verdict' } });
    expect(new Set(server.textsOf(operationId))).toEqual(new Set([body]));
    expect(server.operations.size).toBe(1);
  });

  // Red when: the attempt's row is written after the request instead of before it.
  it.each(['killed-before', 'killed-after'] as const)('F084: the tab %s the answer', async (outcome) => {
    const { device, server, outcomes } = await open();
    const operationId = await device.queue('order-1');
    outcomes.push(outcome);
    await expect(device.round(device.tab())).rejects.toThrow(TabKilled);
    const [kept] = await device.items();
    expect(kept).toMatchObject({ ending: null, mayHaveBeenSent: true, safety: 'maybe-sent' });
    device.nowMs += 60_000;
    await device.round(device.tab());
    expect((await device.items())[0]).toMatchObject({ safety: 'received' });
    expect(new Set(server.textsOf(operationId)).size).toBe(1);
  });

  it('F084: Retry-After is waited for, also when the connection comes back, but not when a person asks', async () => {
    const { device, server, outcomes } = await open();
    const operationId = await device.queue('order-1');
    outcomes.push('busy-503');
    const tab = device.tab();
    await device.round(tab);
    device.nowMs += 29_000;
    await device.round(tab, 'connection-may-be-back');
    expect(server.textsOf(operationId)).toHaveLength(0);
    await device.round(tab, 'person-asked');
    expect(server.textsOf(operationId)).toHaveLength(1);
  });
});

describe('senders', () => {
  // Red when: `takeLease` always takes and the attempt begins without looking at the lease.
  it('F082: three drains at once, one request at a time for an operation', async () => {
    const { device, server, network } = await open();
    const operationId = await device.queue('order-1');
    await Promise.all([1, 2, 3].map(() => device.round(device.tab(), 'connection-may-be-back')));
    expect(network.mostUnderWay).toBe(1);
    expect(server.textsOf(operationId)).toHaveLength(1);
  });

  // Red when: a second verdict on an ended entry is written as a new end.
  it('F082: two requests that overlap, of senders that know nothing of each other, leave one end', async () => {
    const { device, server, network } = await open();
    const operationId = await device.queue('order-1');
    const first = device.tab();
    const second = device.tab(600_000);
    let isFirst = true;
    let other: Promise<unknown> = Promise.resolve();
    network.before = () => {
      if (!isFirst) return Promise.resolve();
      isFirst = false;
      // The lease of the first ran out by the second's clock, which sends and hears the verdict before the first.
      other = device.round(second, 'person-asked');
      return other.then(() => undefined);
    };
    await device.round(first);
    await other;
    expect(network.mostUnderWay).toBe(2);
    expect(server.textsOf(operationId)).toHaveLength(2);
    expect(new Set(server.textsOf(operationId)).size).toBe(1);
    const { records } = await device.store.readAll();
    expect(records[0]?.log.filter(({ event }) => event.kind === 'verdict')).toHaveLength(1);
    expect(records[0]?.log.filter(({ event }) => event.kind === 'attempt-ended')).toHaveLength(2);
  });

  // Red when: `decideBeginAttempt` does not look whose the lease is.
  it('F082: a sender that was frozen past its lease begins nothing more', async () => {
    const { device } = await open();
    await device.queue('order-1');
    const snapshot = await device.store.readAll();
    const entryKey = entriesOf(device)[0]?.key ?? '';
    const lease = { holder: 'frozen', lock: 'held', nowMs: device.nowMs, lengthMs: 30_000 } as const;
    const taken = { holder: 'another', untilMs: device.nowMs + 1, withLock: true };
    const begin = decideBeginBatch({ entryKeys: [entryKey], attemptId: 'a', lease });
    expect(begin({ ...snapshot, lease: taken })).toEqual({ writes: {}, answer: { kind: 'lease-lost' } });
    expect(begin({ ...snapshot, lease: { ...taken, holder: 'frozen' } }).answer.kind).toBe('begun');
  });

  // Red when: `nextStep` forgets an entry whose pause was over before the round was.
  it('F093: an item whose pause is over at once is not left lying until something else happens', async () => {
    const { device, outcomes } = await open();
    await device.queue('order-1');
    device.chance = 0;
    outcomes.push('error-500');
    const end = await device.round(device.tab());
    expect(end.kind).toBe('rested');
    expect(end.nextTryInMs).toBeGreaterThan(0);
    expect(end.nextTryInMs).toBeLessThan(1_000);
  });

  it('one item that the server cannot digest holds up no other', async () => {
    const { device, server, network } = await open();
    const poison = await device.queue('order-1');
    device.nowMs += 1;
    const others = [await device.queue('order-2'), await device.queue('order-3')];
    network.poison.set(poison, 'error-500');
    const tab = device.tab();
    for (let turn = 0; turn < 3; turn += 1) await device.round(tab, 'connection-may-be-back');
    expect(server.textsOf(poison)).toHaveLength(0);
    expect([...server.operations.keys()]).toEqual(others);
  });
});

describe('sign-in', () => {
  // Red when: a 401 counts as a failure or ends the item, or another's items are planned.
  it('F086: a 401 parks everything, consumes nothing, and the next sign-in sends it', async () => {
    const { device, server, outcomes } = await open();
    await device.queue('order-1');
    await device.queue('order-2');
    outcomes.push('signed-out');
    const tab = device.tab();
    expect(await device.round(tab)).toMatchObject({ kind: 'sign-in-needed' });
    expect((await device.items())[0]).toMatchObject({ notSentBecause: 'sign-in', nextTryAtMs: null });
    device.nowMs += 3 * 24 * 3_600_000;
    await device.round(tab, 'connection-may-be-back');
    expect(server.arrived).toHaveLength(0);
    const snapshot = await device.store.readAll();
    const status = statusSummary(snapshot, { unknown: 0, needsPerson: 0 }, device.nowMs);
    expect(status).toMatchObject({ waiting: 2, signInToSend: 2, needsYou: 0, allReceived: false });
    await device.signIn();
    await device.round(tab);
    expect(server.operations.size).toBe(2);
  });

  it('F086: a role that was taken away parks that item with its reason, and the others go out', async () => {
    const { device, server } = await open();
    const parked = await device.queue('order-1');
    device.nowMs += 1;
    const others = [await device.queue('order-2'), await device.queue('order-3')];
    server.forbidden.add(parked);
    const tab = device.tab();
    await device.round(tab);
    expect([...server.operations.keys()]).toEqual(others);
    expect((await device.items())[0]).toMatchObject({
      operationId: parked,
      standing: 'needs-you',
      ending: null,
      notSentBecause: 'not-allowed',
    });
    device.nowMs += 3_600_000;
    await device.round(tab);
    expect(server.textsOf(parked)).toHaveLength(1);
    server.forbidden.delete(parked);
    await device.signIn();
    await device.round(tab);
    expect(server.operations.has(parked)).toBe(true);
  });

  // Red when: `blockOf` does not compare the subject.
  it('what belongs to one person never goes out under another, and waits for its own', async () => {
    const { device, server } = await open();
    const ofAnn = await device.queue('order-1');
    await device.signIn('bob');
    const ofBob = await device.queue('order-1');
    await device.round(device.tab(), 'person-asked');
    expect([...server.operations.keys()]).toEqual([ofBob]);
    const snapshot = await device.store.readAll();
    expect(statusSummary(snapshot, { unknown: 0, needsPerson: 0 }, device.nowMs)).toMatchObject({
      waiting: 0,
      otherSubjects: 1,
    });
    await device.signIn('ann');
    await device.round(device.tab());
    expect([...server.operations.keys()]).toEqual([ofBob, ofAnn]);
  });
});

describe('other answers, other times', () => {
  // Red when: a redirect or a web page is not `kept`.
  it.each(['sign-in-page', 'html-200'] as const)(
    'F087: a hotel network (%s) is not Holdfast',
    async (outcome) => {
      const { device, server, outcomes } = await open();
      await device.queue('order-1');
      outcomes.push(outcome);
      await device.round(device.tab());
      expect(server.arrived).toHaveLength(0);
      expect((await device.items())[0]).toMatchObject({
        ending: null,
        safety: 'saved',
        notSentBecause: 'network-sign-in',
      });
    },
  );

  // Red when: cancelling an entry without attempts queues a command, or with attempts drops it.
  it('F089: cancelled before it was sent, nothing is sent and the record stays', async () => {
    const { device, server } = await open();
    const operationId = await device.queue('order-1');
    const cancel = { type: 'cancel', operationId, reason: 'Typed twice' } as const;
    const taps = [await device.decide(cancel), await device.decide(cancel)];
    expect(taps.map((tap) => tap.saved && tap.how)).toEqual(['dropped', 'dropped']);
    await device.round(device.tab(), 'person-asked');
    expect(server.arrived).toEqual([]);
    expect((await device.items())[0]).toMatchObject({
      standing: 'closed',
      ending: { how: 'dropped', because: 'cancelled-unsent' },
    });
  });

  it('F089: cancelled after it may have been sent, the cancellation goes first and a late copy does nothing', async () => {
    const { device, server, outcomes } = await open();
    const operationId = await device.queue('order-1');
    outcomes.push('refused-connection');
    const tab = device.tab();
    await device.round(tab);
    const cancelled = await device.decide({ type: 'cancel', operationId, reason: 'Typed twice' });
    expect(cancelled).toMatchObject({ saved: true, how: 'queued' });
    await device.round(tab, 'person-asked');
    expect(server.arrived.map(({ type }) => type)).toEqual(['cancel']);
    const body = entriesOf(device)[0]?.body ?? '';
    const late = JSON.parse(server.commands(`{"commands":[${body}]}`)) as object;
    expect(late).toMatchObject({ results: [{ status: 'replayed', operation: { state: 'cancelled' } }] });
  });

  it('F089: what is already under way is not shown as cancelled', async () => {
    const { device, server, outcomes } = await open();
    const operationId = await device.queue('order-1');
    outcomes.push('lost-answer');
    const tab = device.tab();
    await device.round(tab);
    server.underWay.add(operationId);
    await device.decide({ type: 'cancel', operationId, reason: 'Typed twice' });
    await device.round(tab, 'person-asked');
    const [proposal, cancel] = await device.items();
    expect(cancel).toMatchObject({ standing: 'needs-you', ending: { status: 'rejected' } });
    expect(proposal).toMatchObject({ ending: { how: 'verdict', status: 'replayed' } });
    expect((await device.cache.operation(operationId))?.state).toBe('proposed');
  });

  // Red when: `Intents.queue` waits for anything but the store, or says saved without the read-back.
  it('F092: it is stored before any use of the network, and "saved" is a read of what was written', async () => {
    const { device, server } = await open();
    const begun = await device.intents.begin(sampleOrderSeen());
    const operationId = begun.kind === 'draft' ? begun.draft.operationId : '';
    device.store.failNextWrite = new DOMException('the disk is full', 'QuotaExceededError');
    expect(await device.intents.queue(operationId, sampleProposal())).toMatchObject({
      saved: false,
      because: { reason: 'storage-failed' },
    });
    expect(entriesOf(device)).toHaveLength(0);
    expect(await device.intents.begin(sampleOrderSeen())).toMatchObject({ kind: 'draft', isNew: false });
    expect(await device.intents.queue(operationId, sampleProposal())).toMatchObject({ saved: true });
    expect(server.arrived).toHaveLength(0);
    expect((await device.items())[0]).not.toHaveProperty('state');
  });

  it('F092: what was written and is not there is not saved', async () => {
    const { device } = await open();
    const begun = await device.intents.begin(sampleOrderSeen());
    const operationId = begun.kind === 'draft' ? begun.draft.operationId : '';
    device.store.readBack = () => Promise.resolve(null);
    expect(await device.intents.queue(operationId, sampleProposal())).toMatchObject({ saved: false });
  });

  // Red when: anything limits the number of tries, or what a well server cures by itself is handed to a person.
  it('F093: after any number of failures it is still here, still to be sent, and goes out in the end', async () => {
    const { device, server, outcomes } = await open();
    await device.queue('order-1');
    const tab = device.tab();
    for (let turn = 0; turn < 60; turn += 1) {
      outcomes.push('error-500', 'error-500');
      device.nowMs += 60_000;
      await device.round(tab);
      expect(await device.items()).toMatchObject([{ standing: 'open', notSentBecause: 'server-trouble' }]);
    }
    outcomes.length = 0;
    device.nowMs += 60_000;
    await device.round(tab);
    expect(server.operations.size).toBe(1);
    expect((await device.items())[0]?.standing).toBe('closed');
  });

  // Red when: what no server cures is tried for ever without anybody being told.
  it('F093: an answer that cannot be understood, time after time, asks for attention, and is still tried', async () => {
    const { device, server, outcomes } = await open();
    await device.queue('order-1');
    const tab = device.tab();
    for (let turn = 0; turn < 20; turn += 1) {
      outcomes.push('another-command', 'another-command');
      device.nowMs += 60_000;
      await device.round(tab);
      const isPast = turn + 1 >= failuresUntilNeedsYou;
      expect((await device.items())[0]?.standing).toBe(isPast ? 'needs-you' : 'open');
    }
    outcomes.length = 0;
    device.nowMs += 60_000;
    await device.round(tab);
    expect(server.operations.size).toBe(1);
  });

  it('every reason to keep is a value from a closed list', () => {
    expect(new Set(keptReasons).size).toBe(keptReasons.length);
  });
});
