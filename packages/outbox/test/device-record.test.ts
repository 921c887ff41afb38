import { describe, expect, it } from 'vitest';
import { hashOfCommandText, mintOperationId, readDeviceRecord } from '@holdfast/operation';
import type { TakenUpProposal } from '../src/outbox-interface.ts';
import { failuresUntilNeedsYou } from '../src/queue/entry-history.ts';
import type { EntryRow } from '../src/queue/stored-rows.ts';
import { takeUp } from '../src/queue/take-up.ts';
import { isOfFilter, recordOperations } from '../src/read/device-record.ts';
import { recordFileOf } from '../src/read/record-file.ts';
import { recordLines } from '../src/read/record-lines.ts';
import { PretendDevice } from './pretend-device.ts';
import { PretendHoldfast } from './pretend-holdfast.ts';
import { PretendNetwork } from './pretend-network.ts';
import type { NetworkOutcome } from './pretend-network.ts';

const open = async (server = new PretendHoldfast(), subject = 'ann') => {
  const outcomes: NetworkOutcome[] = [];
  const device = new PretendDevice(new PretendNetwork(server, () => outcomes.shift() ?? 'arrives'));
  await device.signIn(subject);
  return { server, outcomes, device };
};

const entriesOf = (device: PretendDevice): EntryRow[] =>
  [...device.store.rows.entries.values()] as EntryRow[];

const proposalsOf = (device: PretendDevice): readonly TakenUpProposal[] =>
  entriesOf(device).map(({ operationId, body, protocol }) => ({ operationId, body, protocol }));

const fileOf = async (device: PretendDevice, subject: string) =>
  recordFileOf(await device.store.readAll(), {
    subject,
    nowMs: device.nowMs,
    listSinceMs: device.nowMs - 1_000,
    appVersion: '0.1.0+abc',
  });

describe("the device's record", () => {
  // Red when: `recordFileOf`, `recordLines` or `recordOperations` does not ask whose an entry is.
  it('shows and exports the signed-in person alone; of the others it says how many', async () => {
    const { device } = await open();
    await device.queue('order-1');
    await device.signIn('ben');
    const ofBen = await device.queue('order-2');
    const file = await fileOf(device, 'ben');
    expect(file.items.map(({ operationId }) => operationId)).toEqual([ofBen]);
    expect(file.itemsOfOthers).toBe(1);
    expect(JSON.stringify(file)).not.toContain('order-1');
    const snapshot = await device.store.readAll();
    expect(new Set(recordLines(snapshot, 99).map(({ operationId }) => operationId))).toEqual(
      new Set([ofBen]),
    );
    expect(recordOperations(snapshot, device.nowMs).map(({ operationId }) => operationId)).toEqual([ofBen]);
  });

  // Red when: the file's `command` is built anew instead of being the stored text, or the hash is of something else.
  it('as a file holds the exact bytes with their hash, each attempt and the verdict, and reads back whole', async () => {
    const { device, outcomes } = await open();
    outcomes.push('lost-answer');
    const operationId = await device.queue('order-1');
    await device.round(device.tab());
    device.nowMs += 120_000;
    await device.round(device.tab(), 'person-asked');
    const [item] = (await fileOf(device, 'ann')).items;
    expect(item?.command).toBe(entriesOf(device)[0]?.body);
    expect(item?.sha256).toBe(hashOfCommandText(item?.command ?? ''));
    const kinds = item?.events.map(({ kind }) => kind) ?? [];
    expect(kinds.filter((kind) => kind === 'attempt-started').length).toBeGreaterThan(0);
    expect(kinds.at(-1)).toBe('verdict');
    const read = readDeviceRecord(JSON.stringify(await fileOf(device, 'ann')));
    expect(read.ok && read.items.map((one) => one.kind === 'read' && one.end)).toEqual(['accepted']);
    const [shown] = recordOperations(await device.store.readAll(), device.nowMs);
    expect(shown).toMatchObject({ operationId, orderId: 'order-1' });
    expect(shown?.items[0]?.receipt).toMatchObject({ operationState: 'proposed', operationVersion: 1 });
  });

  // Red when: an operation is found under what needs its person only if all of its items need one.
  it('what waits behind an item that needs its person stands before that person with it', async () => {
    const { device } = await open();
    const operationId = mintOperationId(device.nowMs, new Uint8Array(10));
    const approve = { type: 'approve', fingerprint: 'f'.repeat(64), seenVersion: 1, operationId } as const;
    await device.decide(approve);
    for (let times = 0; times < failuresUntilNeedsYou; times += 1) {
      await device.round(device.tab(), 'person-asked');
      device.nowMs += 120_000;
      if (times === 0) await device.decide({ type: 'withdraw', operationId });
    }
    const items = await device.items();
    expect(items.map(({ type, standing, notSentBecause }) => [type, standing, notSentBecause])).toEqual([
      ['approve', 'needs-you', 'not-known-there'],
      ['withdraw', 'open', 'behind-another'],
    ]);
    const [shown] = recordOperations(await device.store.readAll(), device.nowMs);
    expect(shown?.items).toHaveLength(2);
    expect(shown !== undefined && isOfFilter(shown, 'needs-you')).toBe(true);
  });

  // Red when: an unreadable row of a shared device goes into whoever's file is asked for.
  it('an unreadable row is exported under its own person, and under nobody else', async () => {
    const { device } = await open();
    await device.queue('order-1');
    await device.signIn('ben');
    device.store.rows.entries.set('x', { v: 9, key: 'x', operationId: 'x', subject: 'ann', note: 'of ann' });
    device.store.rows.entries.set('y', { v: 9, key: 'y', operationId: 'y', note: 'of nobody' });
    device.store.rows.entries.set('z', { v: 9, key: 'z', operationId: 'z', subject: 'ben', note: 'of ben' });
    expect((await fileOf(device, 'ben')).setAside.map(({ key }) => key)).toEqual(['z']);
    expect((await fileOf(device, 'ann')).setAside.map(({ key }) => key)).toEqual(['x', 'y']);
  });
});

describe("taking up another device's record", () => {
  // Red when: `decideTakeUp` mints an ID, writes the bytes anew, or does not look for what is here.
  it('puts a proposal back once, with its ID and its bytes, however often it is taken up', async () => {
    const lost = await open();
    const operationId = await lost.device.queue('order-1');
    const record = proposalsOf(lost.device);
    const { device, server } = await open(lost.server);
    const answers = [];
    for (const proposals of [[...record, ...record], record]) {
      answers.push(await takeUp(device.store, { nowMs: device.nowMs }, proposals));
    }
    expect(answers.map((one) => one.saved && one.items.map(({ how }) => how))).toEqual([
      ['queued', 'here-already'],
      ['here-already'],
    ]);
    expect(entriesOf(device).map(({ body }) => body)).toEqual(record.map(({ body }) => body));
    await device.round(device.tab());
    await lost.device.round(lost.device.tab());
    expect([...server.operations.keys()]).toEqual([operationId]);
    expect(server.textsOf(operationId).every((text) => text === server.textsOf(operationId)[0])).toBe(true);
  });

  // Red when: `judge` in take-up.ts overwrites or adds beside what the device holds under that ID.
  it('an ID that stands for something else here is refused and stays as it is', async () => {
    const { device } = await open();
    const operationId = await device.queue('order-1');
    const [own] = proposalsOf(device);
    const before = structuredClone(device.store.rows.entries);
    const other = { operationId, protocol: 1, body: (own?.body ?? '').replace('4999', '9999') };
    const answer = await takeUp(device.store, { nowMs: device.nowMs }, [other]);
    expect(answer).toEqual({ saved: true, items: [{ operationId, how: 'different-here', itemKey: null }] });
    expect(device.store.rows.entries).toEqual(before);
  });

  // Red when: the subject of the bytes is not compared with who is signed in, or a decision is taken for a proposal.
  it("neither another person's proposal nor a decision goes into the queue", async () => {
    const lost = await open();
    const operationId = await lost.device.queue('order-1');
    await lost.device.round(lost.device.tab());
    await lost.device.decide({ type: 'approve', operationId, fingerprint: 'f'.repeat(64) });
    const record = proposalsOf(lost.device);
    const ben = await open(lost.server, 'ben');
    const asBen = await takeUp(ben.device.store, { nowMs: 1 }, record.slice(0, 1));
    const ann = await open(lost.server);
    const asAnn = await takeUp(ann.device.store, { nowMs: 1 }, record.slice(1));
    expect([asBen, asAnn].map((one) => one.saved && one.items[0]?.how)).toEqual([
      'another-person',
      'not-a-proposal',
    ]);
    expect([...entriesOf(ben.device), ...entriesOf(ann.device)]).toEqual([]);
  });
});
