import { describe, expect, it } from 'vitest';
import { keptAcknowledgedMs, operationsToForget } from '../src/queue/forget-decision.ts';
import { PretendDevice } from './pretend-device.ts';
import { PretendHoldfast } from './pretend-holdfast.ts';
import { PretendNetwork } from './pretend-network.ts';
import type { NetworkOutcome } from './pretend-network.ts';
import { sampleOrderSeen, sampleProposal } from './samples.ts';

const open = async () => {
  const server = new PretendHoldfast();
  const outcomes: NetworkOutcome[] = [];
  const device = new PretendDevice(new PretendNetwork(server, () => outcomes.shift() ?? 'arrives'));
  await device.signIn();
  const tab = device.tab();
  const send = () => device.round(tab, 'person-asked');
  const revise = async (operationId: string): Promise<string> => {
    const begun = await device.intents.revise(operationId, sampleOrderSeen());
    if (begun.kind !== 'draft') throw new Error(begun.kind);
    const changed = begun.draft.operationId;
    await device.intents.queue(changed, sampleProposal('order-1', 3_000));
    return changed;
  };
  const statesOf = async () =>
    (await device.items()).map(({ type, notSentBecause, ending }) => [type, ending?.how ?? notSentBecause]);
  return { server, outcomes, device, send, revise, statesOf };
};

describe('a proposal that is changed', () => {
  it('before it was sent, the old one is dropped here and never sent', async () => {
    const { server, device, send, revise } = await open();
    const old = await device.queue('order-1');
    const changed = await revise(old);
    expect(changed).not.toBe(old);
    await send();
    expect(server.arrived.map(({ commandId }) => commandId)).toEqual([changed]);
  });

  // Red when: `blockOf` does not ask about what is superseded, or `supersede` adds no cancellation.
  it('after it may have been sent, it gets a new ID and the cancellation of the old one goes first', async () => {
    const { server, outcomes, device, send, revise } = await open();
    outcomes.push('lost-answer');
    const old = await device.queue('order-1');
    await send();
    const changed = await revise(old);
    await send();
    expect(server.arrived.map(({ type, commandId }) => [type, commandId === changed])).toEqual([
      ['propose', false],
      ['cancel', false],
      ['propose', true],
    ]);
    expect(server.operations.get(old)?.state).toBe('cancelled');
    expect(server.operations.get(changed)?.amount).toEqual({ minor: 3_000, currency: 'EUR' });
  });

  it('waits while the cancellation was not heard, and stays here when it came too late', async () => {
    const { server, outcomes, device, send, revise, statesOf } = await open();
    const old = await device.queue('order-1');
    await send();
    const changed = await revise(old);
    outcomes.push('timed-out-after');
    server.underWay.add(old);
    await send();
    expect(await statesOf()).toEqual([
      ['propose', 'verdict'],
      ['propose', 'behind-another'],
      ['cancel', 'timed-out'],
    ]);
    await send();
    expect(await statesOf()).toEqual([
      ['propose', 'verdict'],
      ['propose', 'earlier-not-cancelled'],
      ['cancel', 'verdict'],
    ]);
    expect((await device.items())[1]).toMatchObject({ operationId: changed, standing: 'needs-you' });
    expect(server.operations.has(changed)).toBe(false);
    const dropped = await device.decide({ type: 'cancel', operationId: changed, reason: 'It is under way' });
    expect(dropped).toMatchObject({ saved: true, how: 'dropped' });
  });

  it('pressed twice, a revision is one draft and one item', async () => {
    const { device } = await open();
    const old = await device.queue('order-1');
    const [one, two] = [
      await device.intents.revise(old, sampleOrderSeen()),
      await device.intents.revise(old, sampleOrderSeen()),
    ];
    expect(one).toMatchObject({ kind: 'draft', isNew: true, draft: { content: { reason: 'returned' } } });
    expect(two).toMatchObject({ kind: 'draft', isNew: false });
  });
});

describe('a refused proposal', () => {
  it('goes on under the same ID when a person says what it differs from, once for two taps', async () => {
    const { server, device, send } = await open();
    const operationId = await device.queue('order-1');
    server.refused.add(operationId);
    await send();
    expect((await device.items())[0]).toMatchObject({
      standing: 'needs-you',
      ending: { status: 'rejected' },
    });
    const differentFrom = ['re_1'];
    await Promise.all([1, 2].map(() => device.intents.goOn(operationId, differentFrom)));
    await send();
    expect(server.textsOf(operationId)).toHaveLength(2);
    expect(server.operations.get(operationId)?.state).toBe('proposed');
    expect((await device.items()).map(({ standing }) => standing)).toEqual(['closed', 'closed']);
  });

  // Red when: `decideDismiss` adds no cancellation although several copies went out.
  it('dismissed after several copies were sent, its ID is cancelled, so that a late copy does nothing', async () => {
    const { server, outcomes, device, send } = await open();
    const operationId = await device.queue('order-1');
    server.refused.add(operationId);
    outcomes.push('timed-out-after');
    await send();
    await send();
    const [item] = await device.items();
    expect(item).toMatchObject({ ending: { status: 'rejected' } });
    await device.intents.dismiss(item?.key ?? '');
    await send();
    expect(server.operations.get(operationId)?.state).toBe('cancelled');
    const begun = await device.intents.begin(sampleOrderSeen());
    expect(begun).toMatchObject({ kind: 'draft', isNew: true });
  });
});

describe('a decision that is taken back', () => {
  it('before it was sent is dropped here, and a second tap sends nothing either', async () => {
    const { server, device, send } = await open();
    const operationId = await device.queue('order-1');
    await send();
    await device.decide({ type: 'approve', operationId, fingerprint: 'a'.repeat(64) });
    const withdraw = { type: 'withdraw', operationId } as const;
    const taps = [await device.decide(withdraw), await device.decide(withdraw)];
    expect(taps.map((tap) => tap.saved && tap.how)).toEqual(['dropped', 'dropped']);
    await send();
    expect(server.arrived.map(({ type }) => type)).toEqual(['propose']);
  });

  it('after it was sent goes out behind it, as a command of its own', async () => {
    const { server, device, send } = await open();
    const operationId = await device.queue('order-1');
    await device.decide({ type: 'approve', operationId, fingerprint: 'a'.repeat(64) });
    await send();
    await device.decide({ type: 'withdraw', operationId });
    await send();
    await device.decide({ type: 'approve', operationId, fingerprint: 'a'.repeat(64) });
    await send();
    expect(server.arrived.map(({ type }) => type)).toEqual(['propose', 'approve', 'withdraw', 'approve']);
    expect(new Set(server.arrived.map(({ commandId }) => commandId)).size).toBe(4);
  });

  it('a decision that the wire would not allow is not stored', async () => {
    const { device, send } = await open();
    const operationId = await device.queue('order-1');
    await send();
    const denied = await device.decide({ type: 'deny', operationId, reason: '' });
    expect(denied).toMatchObject({ saved: false, because: { reason: 'invalid' } });
    expect((await device.store.readAll()).unreadable).toEqual([]);
  });
});

describe('what was acknowledged', () => {
  // Red when: anything but age and an end decides, or the age is shorter.
  it('is kept for 90 days, and what has no end is kept for ever', async () => {
    const { server, outcomes, device, send } = await open();
    const done = await device.queue('order-1');
    await send();
    outcomes.push('error-500');
    await device.queue('order-2');
    await send();
    const forgettable = async (afterMs: number) =>
      operationsToForget(await device.store.readAll(), device.nowMs + afterMs);
    expect(await forgettable(keptAcknowledgedMs - 1_000)).toEqual([]);
    expect(server.operations.has(done)).toBe(true);
    expect(await forgettable(keptAcknowledgedMs + 1_000)).toEqual([done]);
    expect(await forgettable(40 * keptAcknowledgedMs)).toEqual([done]);
  });
});
