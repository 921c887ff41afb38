import { describe, expect, it } from 'vitest';
import { decideRetellNeeded } from '../src/queue/session-decision.ts';
import { PretendDevice } from './pretend-device.ts';
import { PretendHoldfast } from './pretend-holdfast.ts';
import { PretendNetwork } from './pretend-network.ts';
import { sampleOrderSeen } from './samples.ts';

/** What seeded lives brought to light, each told by itself. */
const open = async () => {
  const server = new PretendHoldfast();
  const network = new PretendNetwork(server, () => 'arrives');
  const device = new PretendDevice(network);
  await device.signIn();
  const restore = async () => {
    server.forgetEverything();
    await device.store.change({ operationIds: [] }, decideRetellNeeded);
  };
  return { server, network, device, restore };
};

describe('a server that is restored after a proposal was changed (seed 664)', () => {
  // Red when: `decideRetell` asks of a cancellation only whether the server still knows the operation.
  it('a late copy of the earlier text that stands again is cancelled again before the changed one goes', async () => {
    const { server, network, device, restore } = await open();
    const operationId = await device.queue('order-1');
    const tab = device.tab();
    await device.round(tab);
    const late = network.requests[0]?.request.body ?? '';
    const begun = await device.intents.revise(operationId, sampleOrderSeen('order-1'));
    if (begun.kind !== 'draft') throw new Error(`no draft: ${begun.kind}`);
    const changedId = begun.draft.operationId;
    await device.queueAgain(changedId, 'order-1');
    network.poison.set(changedId, 'refused-connection');
    await device.round(tab, 'person-asked');
    expect(server.operations.get(operationId)?.state).toBe('cancelled');
    await restore();
    // Nothing is in its way any more, and a word about it makes it as new as what was told of its end.
    server.commands(late);
    server.change(operationId, {});
    network.poison.clear();
    const again = device.tab();
    for (let turn = 0; turn < 3; turn += 1) await device.round(again, 'person-asked');
    expect(server.operations.get(operationId)?.state).toBe('cancelled');
    expect(server.operations.get(changedId)?.state).toBe('proposed');
  });
});

describe('a server that is restored while an answer is on its way (seed 196)', () => {
  // Red when: `outcomeNow` lets a verdict of the history before stand.
  it('a verdict that is stored only after the restore was heard of is asked for again', async () => {
    const { server, network, device, restore } = await open();
    const operationId = await device.queue('order-1');
    const change = device.store.change.bind(device.store);
    let isRestored = false;
    device.store.change = async (scope, decide) => {
      // The answer is here; before it is stored the restore is heard of, and all else is told again.
      if (network.requests.length === 1 && !isRestored) {
        isRestored = true;
        await restore();
        // The other tab can ask what is lost, and no more than that.
        network.poison.set(operationId, 'refused-connection');
        await device.round(device.tab(600_000), 'person-asked');
        network.poison.clear();
      }
      return change(scope, decide);
    };
    const tab = device.tab();
    await device.round(tab);
    for (let turn = 0; turn < 3; turn += 1) await device.round(tab, 'person-asked');
    expect(server.operations.has(operationId)).toBe(true);
    expect((await device.items())[0]).toMatchObject({ safety: 'received' });
  });

  // Red when: `decideRetold` clears the mark of a restore that came after it was read.
  it('a second restore during the look-up of the first is not forgotten', async () => {
    const { server, device, restore } = await open();
    const operationId = await device.queue('order-1');
    const tab = device.tab();
    await device.round(tab);
    // The first took nothing from us, says the answer; then comes another, which takes all.
    await device.store.change({ operationIds: [] }, decideRetellNeeded);
    const apply = device.cache.applyOperations.bind(device.cache);
    device.cache.applyOperations = async (operations, epoch) => {
      device.cache.applyOperations = apply;
      await restore();
      await apply(operations, epoch);
    };
    for (let turn = 0; turn < 3; turn += 1) {
      tab.lookUpFirst();
      await device.round(tab, 'person-asked');
    }
    expect(server.operations.has(operationId)).toBe(true);
  });
});

describe('a server that is restored while the device looks up what it has open (seed 3030036)', () => {
  // Red when: a look-up that was asked for in the middle of one is taken for done with it; when the round that noticed
  // ends without saying that there is more to do.
  it('looks up once more by itself, and tells again what was acknowledged', async () => {
    const { server, network, device, restore } = await open();
    const taken = await device.queue('order-1');
    const tab = device.tab();
    await device.round(tab);
    // Something else has to be looked up, and while that is on its way the feed tells of the restore.
    network.meets = 'lost-answer';
    const unheard = await device.queue('order-2');
    await device.round(tab, 'person-asked');
    network.meets = null;
    network.before = async () => {
      network.before = () => Promise.resolve();
      await restore();
      tab.lookUpFirst();
    };
    const end = await device.round(tab, 'person-asked');
    expect(end.nextTryInMs).not.toBeNull();
    await device.round(tab, 'person-asked');
    expect([server.operations.has(taken), server.operations.has(unheard)]).toEqual([true, true]);
  });

  // Red when: a look-up that fails is taken for one that was asked for anew, and tried without a pause.
  it('a look-up that does not work is not asked again and again by itself', async () => {
    const { network, device, restore } = await open();
    const tab = device.tab();
    await device.queue('order-1');
    await device.round(tab);
    await restore();
    network.meets = 'foreign-json';
    tab.lookUpFirst();
    expect(await device.round(tab, 'person-asked')).toMatchObject({ kind: 'rested', nextTryInMs: null });
  });
});

describe('a proposal that is changed more than once (seeds 127, 1697, 7039)', () => {
  const queueChange = async (device: PretendDevice, operationId: string): Promise<string> => {
    const begun = await device.intents.revise(operationId, sampleOrderSeen());
    if (begun.kind !== 'draft') throw new Error(`no draft: ${begun.kind}`);
    await device.queueAgain(begun.draft.operationId, 'order-1');
    return begun.draft.operationId;
  };

  // Red when: `decideRevise` does not look for what was queued in its place.
  it('from the same one again: it meets the change that is there', async () => {
    const { server, device } = await open();
    const first = await device.queue('order-1');
    await device.round(device.tab());
    const second = await queueChange(device, first);
    const met = { kind: 'already-queued', operationId: second };
    expect(await device.intents.revise(first, sampleOrderSeen())).toEqual(met);
    await device.round(device.tab(), 'person-asked');
    expect(await device.intents.revise(first, sampleOrderSeen())).toEqual(met);
    const states = [...server.operations.values()].map(({ state }) => state);
    expect(states.sort()).toEqual(['cancelled', 'proposed']);
  });

  // Red when: `replacementOf` does not follow what replaced the replacement.
  it('the change was changed as well: it meets the last one', async () => {
    const { device } = await open();
    const first = await device.queue('order-1');
    await device.round(device.tab());
    const second = await queueChange(device, first);
    const third = await queueChange(device, second);
    const again = await device.intents.revise(first, sampleOrderSeen());
    expect(again).toEqual({ kind: 'already-queued', operationId: third });
  });

  // Red when: `decideRevise` takes a dropped proposal for one that can be changed.
  it('one that was dropped, after the refund was begun anew: it meets that', async () => {
    const { device } = await open();
    const first = await device.queue('order-1');
    await device.decide({ type: 'cancel', operationId: first, reason: 'Typed twice' });
    const anew = await device.queue('order-1');
    const again = await device.intents.revise(first, sampleOrderSeen());
    expect(again).toEqual({ kind: 'already-queued', operationId: anew });
  });
});

describe('a word about a proposal that was refused and then changed (seed 1723 of the wider lives)', () => {
  // Red when: `firstOf` sends an operation's entries by position alone: the word is never known there, and waits for ever.
  it('does not hold the changed proposal up', async () => {
    const { server, device } = await open();
    const tab = device.tab();
    const operationId = await device.queue('order-1');
    server.refused.add(operationId);
    await device.round(tab, 'person-asked');
    await device.decide({ type: 'deny', operationId, reason: 'because' });
    await device.round(tab, 'person-asked');
    await device.intents.goOn(operationId, [device.mint()]);
    await device.round(tab, 'person-asked');
    await device.round(tab, 'person-asked');
    expect((await device.items()).filter(({ ending }) => ending === null)).toEqual([]);
    expect(server.operations.get(operationId)?.state).toBe('denied');
  });
});
