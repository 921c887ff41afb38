import { describe, expect, it } from 'vitest';
import type { DecisionIntent } from '../src/outbox-interface.ts';
import { PretendDevice } from './pretend-device.ts';
import { PretendHoldfast } from './pretend-holdfast.ts';
import { PretendNetwork } from './pretend-network.ts';
import type { NetworkOutcome } from './pretend-network.ts';
import { eur, sampleOrderSeen } from './samples.ts';

const open = async () => {
  const server = new PretendHoldfast();
  const outcomes: NetworkOutcome[] = [];
  const network = new PretendNetwork(server, () => outcomes.shift() ?? 'arrives');
  const device = new PretendDevice(network);
  await device.signIn();
  const tab = device.tab();
  const send = () => device.round(tab, 'person-asked');
  const operationId = await device.queue('order-1');
  const decide = async (intent: DecisionIntent) => {
    device.nowMs += 1_000;
    return device.decide(intent);
  };
  const items = async () => (await device.items()).filter((item) => item.operationId === operationId);
  const live = async () => (await items()).filter(({ ending }) => ending === null);
  return { server, network, outcomes, device, send, operationId, decide, items, live };
};

/** As `open`, with the proposal received, as an approver's device has it. */
const openProposed = async () => {
  const world = await open();
  await world.send();
  const { operationId } = world;
  const words: Record<'approve' | 'deny' | 'withdraw' | 'cancel', DecisionIntent> = {
    approve: { type: 'approve', operationId, fingerprint: 'a'.repeat(64) },
    deny: { type: 'deny', operationId, reason: 'The box came back empty.' },
    withdraw: { type: 'withdraw', operationId },
    cancel: { type: 'cancel', operationId, reason: 'Typed twice.' },
  };
  const arrivedSince = () => world.server.arrived.slice(1).map(({ type }) => type);
  return { ...world, words, arrivedSince };
};

describe('one replaceable decision per person, until it is sent', () => {
  // Red when: `replacedBy` answers with nothing, or `standsInFor` loses one of its pairs.
  it.each([
    [['approve', 'deny'], ['deny']],
    [['deny', 'approve'], ['approve']],
    [['approve', 'deny', 'approve'], ['approve']],
    [['deny', 'approve', 'deny'], ['deny']],
    [['approve', 'withdraw'], []],
    [['deny', 'withdraw'], []],
    [['approve', 'withdraw', 'approve'], ['approve']],
    [['approve', 'withdraw', 'deny'], ['deny']],
    [['approve', 'cancel'], ['cancel']],
    [['deny', 'deny'], ['deny']],
  ] as const)('%j leaves %j to send, and a record of the others', async (said, sent) => {
    const { decide, send, live, items, words, arrivedSince } = await openProposed();
    for (const word of said) await decide(words[word]);
    expect((await live()).map(({ type }) => type)).toEqual(sent);
    await send();
    expect(arrivedSince()).toEqual(sent);
    const dropped = (await items()).filter(({ ending }) => ending?.how === 'dropped');
    const different = new Set(said).size === 1 ? 1 : said.filter((word) => word !== 'withdraw').length;
    expect(dropped).toHaveLength(different - sent.length);
  });

  // Red when: an unsent denial with another reason counts as the same (`asksTheSame` in place of `saysTheSame`).
  it('the newest reason and the newest figures win while nothing was sent', async () => {
    const { decide, send, live, words, server, operationId } = await openProposed();
    await decide(words.deny);
    await decide({ type: 'deny', operationId, reason: 'It was worn.' });
    expect((await live()).map(({ command }) => command)).toMatchObject([{ reason: 'It was worn.' }]);
    const seen = (minor: number, orderVersion: number) => ({ refundable: eur(minor), orderVersion });
    const approve = { type: 'approve', operationId, fingerprint: 'a'.repeat(64) } as const;
    await decide({ ...approve, seen: seen(10_000, 1) });
    await decide({ ...approve, seen: seen(6_000, 2) });
    await decide({ ...approve, seen: seen(6_000, 2) });
    await send();
    const texts = server.arrived.slice(1).map(({ text }) => JSON.parse(text) as { seen: unknown });
    expect(texts.map((text) => text.seen)).toEqual([seen(6_000, 2)]);
  });

  // Red when: `firstOf` knows no denial, so that the approval goes out first and the money could go before it is denied;
  // `endedWithIt` ends nothing with a denial, so that the approval is sent after it.
  it('offline, where each try only met no connection, the denial goes before the approval it takes back', async () => {
    const { decide, send, words, outcomes, arrivedSince, server, operationId } = await openProposed();
    outcomes.push('refused-connection', 'refused-connection', 'refused-connection');
    for (const word of ['approve', 'deny', 'approve', 'deny'] as const) {
      await decide(words[word]);
      if (outcomes.length > 0) await send();
    }
    await send();
    expect(arrivedSince()).toEqual(['deny']);
    expect(server.operations.get(operationId)?.state).toBe('denied');
  });

  // Red when: `replacedBy` takes what only met no connection for unsent: the withdrawal then goes alone, is refused,
  // and the late copy of the approval stands.
  it.each(['lost-answer', 'refused-connection', 'arrives-late'] as const)(
    'an approval that may have arrived (%s) gets its verdict, then is taken back; a late copy does nothing',
    async (outcome) => {
      const { decide, send, words, outcomes, live, network, server, operationId } = await openProposed();
      outcomes.push(outcome);
      await decide(words.approve);
      await send();
      expect(await decide(words.withdraw)).toMatchObject({ how: 'queued' });
      expect((await live()).map(({ type }) => type)).toEqual(['approve', 'withdraw']);
      await send();
      const [approval] = server.arrived.filter(({ type }) => type === 'approve');
      server.commands(`{"commands":[${approval?.text ?? ''}]}`);
      network.deliverLate();
      expect(await live()).toEqual([]);
      expect(server.operations.get(operationId)?.state).toBe('proposed');
    },
  );

  // Red when: `standsInFor` lets an approval take the place of a denial that may have arrived.
  it('a denial that may have arrived stays: it goes first, and ends the operation whatever else arrives', async () => {
    const { decide, send, words, outcomes, live, network, server, operationId } = await openProposed();
    outcomes.push('arrives-late');
    await decide(words.deny);
    await send();
    await decide(words.approve);
    expect((await live()).map(({ type }) => type)).toEqual(['deny', 'approve']);
    await send();
    network.deliverLate();
    expect(server.operations.get(operationId)?.state).toBe('denied');
  });

  // Red when: the withdrawal of what was never approved is refused as "you may not", which parks it for ever.
  it('a withdrawal with nothing to take back ends with a verdict', async () => {
    const { decide, send, words, items, live } = await openProposed();
    await decide(words.withdraw);
    await send();
    expect(await live()).toEqual([]);
    expect((await items()).at(-1)).toMatchObject({
      ending: { status: 'rejected', problem: { status: 409 } },
    });
  });

  it('a word whose answer timed out is not replaced: it and the new one go in order', async () => {
    const { decide, send, words, outcomes, live } = await openProposed();
    outcomes.push('timed-out-after');
    await decide(words.approve);
    await send();
    await decide(words.deny);
    expect((await live()).map(({ type }) => type)).toEqual(['approve', 'deny']);
  });

  // Red when: `replacedBy` does not let an approval stand in for a denial.
  it('approve, deny, approve with the first still on its way leaves that first one alone', async () => {
    const { decide, send, words, outcomes, live } = await openProposed();
    outcomes.push('timed-out-after');
    await decide(words.approve);
    await send();
    await decide(words.deny);
    const again = await decide(words.approve);
    expect(again).toMatchObject({ saved: true, again: true });
    expect((await live()).map(({ type }) => type)).toEqual(['approve']);
  });

  // Red when: `sameAsBefore` does not look at `seenVersion`.
  it('an approval made void by the server can be given again, and a second tap is still one', async () => {
    const { decide, send, words, server, operationId, arrivedSince } = await openProposed();
    await decide(words.approve);
    await send();
    const approve = { type: 'approve', operationId, fingerprint: 'a'.repeat(64) } as const;
    expect(await decide({ ...approve, seenVersion: 2 })).toMatchObject({ again: true });
    server.change(operationId, { state: 'proposed' });
    expect(await decide({ ...approve, seenVersion: 3 })).toMatchObject({ again: false });
    expect(await decide({ ...approve, seenVersion: 3 })).toMatchObject({ again: true });
    await send();
    expect(arrivedSince()).toEqual(['approve', 'approve']);
  });
});

describe('what a person drops', () => {
  // Red when: `decideUndoDrop` writes nothing, or mints another entry.
  it('F089: a cancelled unsent proposal comes back under the same ID and bytes, and can be cancelled again', async () => {
    const { device, server, send, operationId, decide, items } = await open();
    const [before] = await items();
    const cancel = { type: 'cancel', operationId, reason: 'Typed twice' } as const;
    await decide(cancel);
    expect(await items()).toMatchObject([{ standing: 'closed', mayUndoDrop: true }]);
    expect(await device.intents.undoDrop(before?.key ?? '')).toEqual({ saved: true });
    expect(await device.intents.undoDrop(before?.key ?? '')).toEqual({ saved: true });
    const log = [...device.store.rows.log.values()] as { event: { kind: string } }[];
    expect(log.map(({ event }) => event.kind)).toEqual(['dropped', 'reopened']);
    expect(await items()).toMatchObject([
      { key: before?.key, command: before?.command, standing: 'open', mayUndoDrop: false },
    ]);
    expect(await decide(cancel)).toMatchObject({ how: 'dropped' });
    await send();
    expect(server.arrived).toEqual([]);
    await device.intents.undoDrop(before?.key ?? '');
    await send();
    expect(server.arrived.map(({ type }) => type)).toEqual(['propose']);
  });

  // Red when: `replacement` looks at nothing.
  it('does not come back once another refund of the order was queued', async () => {
    const { device, operationId, decide, items } = await open();
    await decide({ type: 'cancel', operationId, reason: 'Wrong amount' });
    const other = await device.queue('order-1');
    const undone = await device.intents.undoDrop((await items())[0]?.key ?? '');
    expect(undone).toMatchObject({ saved: false, because: { reason: 'replaced', operationId: other } });
  });

  // Red when: `tookItsPlace` looks at nothing.
  it('an approval taken back here comes back, unless another word took its place', async () => {
    const { device, decide, send, words, items, live, arrivedSince } = await openProposed();
    const approvalKey = async () => (await items()).find(({ type }) => type === 'approve')?.key ?? '';
    await decide(words.approve);
    await decide(words.withdraw);
    expect(await device.intents.undoDrop(await approvalKey())).toEqual({ saved: true });
    expect((await live()).map(({ type }) => type)).toEqual(['approve']);
    await decide(words.withdraw);
    await decide(words.deny);
    expect(await device.intents.undoDrop(await approvalKey())).toMatchObject({ saved: false });
    await send();
    expect(arrivedSince()).toEqual(['deny']);
  });

  // Red when: `decideDrop` treats what may have been sent as unsent.
  it('a parked proposal that may have been sent ends only when its cancellation was accepted', async () => {
    const { device, server, outcomes, send, operationId, items, live } = await open();
    outcomes.push('role-removed');
    await send();
    const key = (await items())[0]?.key ?? '';
    expect(await items()).toMatchObject([{ notSentBecause: 'not-allowed', standing: 'needs-you' }]);
    expect(await device.intents.drop(key)).toMatchObject({ saved: true, how: 'cancelling' });
    expect(await device.intents.drop(key)).toMatchObject({ saved: true, how: 'cancelling' });
    expect((await live()).map(({ type }) => type)).toEqual(['propose', 'cancel']);
    await send();
    expect(await live()).toEqual([]);
    expect(server.operations.get(operationId)?.state).toBe('cancelled');
    expect((await items())[0]).toMatchObject({ ending: { because: 'cancelled' } });
  });

  // Red when: `decideDrop` writes no withdrawal, or drops the approval whose late copy would then stand.
  it('a parked approval that may have arrived is taken back after its verdict; a parked denial is only not sent again', async () => {
    const { device, outcomes, decide, send, words, items, live, arrivedSince } = await openProposed();
    outcomes.push('refused-connection', 'arrives', 'role-removed');
    await decide(words.approve);
    await send();
    await send();
    const approval = (await items()).at(-1)?.key ?? '';
    expect(await device.intents.drop(approval)).toMatchObject({ how: 'withdrawing' });
    expect(await device.intents.drop(approval)).toMatchObject({ how: 'withdrawing' });
    expect((await live()).map(({ type }) => type)).toEqual(['approve', 'withdraw']);
    await send();
    outcomes.push('role-removed');
    await decide(words.deny);
    await send();
    const denial = (await items()).at(-1)?.key ?? '';
    expect(await device.intents.drop(denial)).toMatchObject({ how: 'given-up' });
    await send();
    expect(arrivedSince()).toEqual(['approve', 'withdraw']);
  });

  // Red when: `wasNeverTaken` is always false: the approval could then never be dropped, as the withdrawal waits behind.
  it('an approval that Holdfast itself took nothing of each time is dropped, and nothing needs taking back', async () => {
    const { device, outcomes, decide, send, words, items, live, arrivedSince } = await openProposed();
    outcomes.push('role-removed');
    await decide(words.approve);
    await send();
    const approval = (await items()).at(-1)?.key ?? '';
    expect(await device.intents.drop(approval)).toMatchObject({ how: 'given-up' });
    expect(await live()).toEqual([]);
    await send();
    expect(arrivedSince()).toEqual([]);
  });

  it('a changed proposal whose earlier one could not be cancelled is dropped here, and that can be undone', async () => {
    const { device, server, send, operationId } = await open();
    await send();
    const begun = await device.intents.revise(operationId, sampleOrderSeen());
    if (begun.kind !== 'draft') throw new Error(begun.kind);
    server.underWay.add(operationId);
    const changed = await device.queueAgain(begun.draft.operationId, 'order-1');
    if (!changed.saved) throw new Error(changed.because.reason);
    await send();
    const parked = async () => (await device.items()).find(({ key }) => key === changed.itemKey);
    expect(await parked()).toMatchObject({ notSentBecause: 'earlier-not-cancelled' });
    expect(await device.intents.drop(changed.itemKey)).toMatchObject({ how: 'dropped' });
    expect(await parked()).toMatchObject({ standing: 'closed', mayUndoDrop: true });
  });

  // Red when: `decideDismiss` adds no cancellation.
  it('a refused proposal that is dropped sends its cancellation', async () => {
    const { device, server, send, operationId, items } = await open();
    server.refused.add(operationId);
    await send();
    await device.intents.dismiss((await items())[0]?.key ?? '');
    await send();
    expect(server.arrived.map(({ type }) => type)).toEqual(['propose', 'cancel']);
    expect(server.operations.get(operationId)?.state).toBe('cancelled');
  });
});

describe('a refused settlement', () => {
  // Red when: `refusedBefore` answers with nothing: each try would leave one more item that waits for its person.
  it('is read as soon as its person settles the operation again, and the log tells of both', async () => {
    const { device, server, send, operationId, decide, items } = await open();
    await send();
    const settle = (providerReference: string): DecisionIntent => ({
      ...{ type: 'resolve', operationId, version: 3, outcome: 'confirmed', providerReference },
      note: 'Seen in the dashboard.',
    });
    const needing = async () => (await items()).filter(({ standing }) => standing === 'needs-you');
    server.underWay.add(operationId);
    for (const reference of ['re_bogus', 're_other']) {
      await decide(settle(reference));
      await send();
      expect((await needing()).map(({ command }) => command)).toMatchObject([
        { providerReference: reference },
      ]);
    }
    server.underWay.delete(operationId);
    await decide(settle('re_right'));
    expect(await needing()).toEqual([]);
    await send();
    expect(server.operations.get(operationId)?.state).toBe('confirmed');
    expect((await device.items()).filter(({ type }) => type === 'resolve')).toHaveLength(3);
  });
});
