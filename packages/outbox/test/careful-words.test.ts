import { describe, expect, it } from 'vitest';
import { Intents } from '../src/queue/intents.ts';
import { decideRetellNeeded } from '../src/queue/session-decision.ts';
import { recordOperations } from '../src/read/device-record.ts';
import { UnsavedSends } from '../src/send/unsaved-send.ts';
import { PretendDevice } from './pretend-device.ts';
import { PretendHoldfast } from './pretend-holdfast.ts';
import { PretendNetwork } from './pretend-network.ts';
import type { NetworkOutcome } from './pretend-network.ts';
import { sampleOrderSeen, sampleProposal } from './samples.ts';

const open = async () => {
  const server = new PretendHoldfast();
  const outcomes: NetworkOutcome[] = [];
  const network = new PretendNetwork(server, () => outcomes.shift() ?? 'arrives');
  const device = new PretendDevice(network);
  await device.signIn();
  const tab = device.tab();
  const send = () => device.round(tab, 'person-asked');
  const restore = async () => {
    server.forgetEverything();
    await device.store.change({ operationIds: [] }, decideRetellNeeded);
    tab.lookUpFirst();
  };
  return { server, outcomes, network, device, tab, send, restore };
};

describe('what was sent before it could be stored', () => {
  // Red when: `decideQueue` writes no rows for `sent`.
  it.each([
    ['lost-answer', 'cancelled'],
    ['arrives-late', 'cancelled'],
  ] as const)(
    'counts as maybe sent once it is stored (%s): its cancellation goes to the server',
    async (met, state) => {
      const { server, outcomes, network, device, send } = await open();
      const begun = await device.intents.begin(sampleOrderSeen());
      if (begun.kind !== 'draft') throw new Error(begun.kind);
      const { operationId } = begun.draft;
      const sends = new UnsavedSends({
        transport: network,
        told: {
          epoch: () => Promise.reject(new Error('no cache')),
          applyOperations: () => Promise.resolve(),
        },
        clock: { nowMs: () => device.nowMs },
        mintId: device.mint,
        requestTimeoutMs: 20_000,
        subject: () => 'ann',
        heard: () => undefined,
      });
      outcomes.push(met);
      const proposal = sampleProposal('order-1');
      expect(await sends.send(operationId, proposal)).toMatchObject({ mayHaveBeenSent: true });
      await device.intents.queue(operationId, proposal, sends.sentBefore(operationId));
      expect(await device.items()).toMatchObject([{ mayHaveBeenSent: true, attemptCount: 1 }]);
      const cancelled = await device.decide({ type: 'cancel', operationId, reason: 'Typed twice' });
      expect(cancelled).toMatchObject({ how: 'queued' });
      await send();
      network.deliverLate();
      expect(server.operations.get(operationId)?.state).toBe(state);
    },
  );
});

describe('after a restore', () => {
  // Red when: the first person's look-up ends the retelling for everybody on the device.
  it('each person’s acknowledged items are told again when they sign in', async () => {
    const { server, device, tab, send, restore } = await open();
    const ofAnn = await device.queue('order-1');
    await send();
    await device.signIn('ben');
    const ofBen = await device.queue('order-2');
    await send();
    await restore();
    await send();
    await device.signIn('ann');
    tab.lookUpFirst();
    await send();
    expect([...server.operations.keys()].sort()).toEqual([ofAnn, ofBen].sort());
  });

  // Red when: `receiptOf` takes the last verdict, wherever the item was opened again.
  it('an item that is opened again shows no receipt until it is received again', async () => {
    const { outcomes, device, send, restore } = await open();
    await device.queue('order-1');
    await send();
    await restore();
    outcomes.push('arrives', 'refused-connection');
    await send();
    const shown = async () => recordOperations(await device.store.readAll(), device.nowMs)[0]?.items[0];
    expect(await shown()).toMatchObject({ ending: null, receipt: null });
    await send();
    expect(await shown()).toMatchObject({ safety: 'received', receipt: { operationState: 'proposed' } });
  });
});

describe('“saved”', () => {
  // Red when: `#change` reads nothing back, so that a drop is told although its cancellation is not there.
  it('is said of a drop and of a dismissal only when what they add was read back', async () => {
    const { server, outcomes, device, send } = await open();
    const operationId = await device.queue('order-1');
    outcomes.push('timed-out-after');
    await send();
    const readBack = device.store.readBack.bind(device.store);
    device.store.readBack = () => Promise.resolve(null);
    const key = `${operationId}/propose/1`;
    const storageFailed = { saved: false, because: { reason: 'storage-failed' } };
    expect(await device.intents.drop(key)).toMatchObject(storageFailed);
    device.store.readBack = readBack;
    const refused = await device.queue('order-2');
    server.refused.add(refused);
    await send();
    device.store.readBack = () => Promise.resolve(null);
    expect(await device.intents.dismiss(`${refused}/propose/1`)).toMatchObject(storageFailed);
  });

  // Red when: `added` is called for every answer that says "saved".
  it('tells of something that waits only when something was written', async () => {
    const { device } = await open();
    let addedCount = 0;
    const intents = new Intents({
      store: device.store,
      cache: device.cache,
      clock: { nowMs: () => device.nowMs },
      mintId: device.mint,
      added: () => (addedCount += 1),
    });
    const begun = await intents.begin(sampleOrderSeen());
    if (begun.kind !== 'draft') throw new Error(begun.kind);
    const { operationId } = begun.draft;
    await intents.queue(operationId, sampleProposal('order-1'));
    await intents.queue(operationId, sampleProposal('order-1'));
    expect(addedCount).toBe(1);
    const key = `${operationId}/propose/1`;
    await intents.drop(key);
    expect(addedCount).toBe(1);
    await intents.undoDrop(key);
    await intents.undoDrop(key);
    expect(addedCount).toBe(2);
  });
});

describe('a clock that is set back', () => {
  // Red when: `replacement` compares times.
  it('brings no second refund of the order: a drop is not undone beside another proposal or an open form', async () => {
    const { device } = await open();
    const first = await device.queue('order-1');
    const key = `${first}/propose/1`;
    await device.intents.drop(key);
    device.nowMs -= 86_400_000;
    const begun = await device.intents.begin(sampleOrderSeen('order-1'));
    if (begun.kind !== 'draft') throw new Error(begun.kind);
    const { operationId } = begun.draft;
    const replaced = { saved: false, because: { reason: 'replaced', operationId } };
    expect(await device.intents.undoDrop(key)).toEqual(replaced);
    await device.queueAgain(operationId, 'order-1');
    expect(await device.intents.undoDrop(key)).toEqual(replaced);
    await device.intents.drop(`${operationId}/propose/1`);
    expect(await device.intents.undoDrop(key)).toEqual({ saved: true });
  });

  // Red when: an item is "sending" for as long as the lease's end lies ahead, however far.
  it('does not keep an item “sending” for longer than a lease may last', async () => {
    const device = new PretendDevice({ send: () => new Promise(() => undefined) });
    await device.signIn();
    await device.queue('order-1');
    void device.round(device.tab());
    await expect.poll(async () => (await device.items())[0]?.sending).toBe(true);
    device.nowMs -= 86_400_000;
    expect(await device.items()).toMatchObject([{ sending: false, notSentBecause: 'interrupted' }]);
  });
});
