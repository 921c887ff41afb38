import { describe, expect, it } from 'vitest';
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
  const send = async () => {
    tab.lookUpFirst();
    await device.round(tab, 'person-asked');
  };
  /** A row of the proposal's log turns into something that this version cannot read, or is there from the start. */
  const spoil = (
    operationId: string,
    place = 1,
    keptFields: object = { entryKey: `${operationId}/propose/1` },
  ) => {
    const id = `${operationId}/propose/1#${String(place).padStart(6, '0')}`;
    device.store.rows.log.set(id, { id, ...keptFields, v: 99, event: { kind: 'from-another-time' } });
  };
  const types = () => server.arrived.map(({ type }) => type);
  const standings = async () =>
    (await device.items()).map(({ type, standing, notSentBecause, ending }) => [
      type,
      standing,
      ending?.how ?? notSentBecause,
    ]);
  return { server, outcomes, device, send, spoil, types, standings };
};

// Red when: an unreadable log row counts as none (a cancellation of what was sent becomes a drop here, a changed
// proposal leaves beside the old one), or what such a row may have ended is sent all the same.
describe('an item of whose log a row cannot be read', () => {
  it.each([
    ['as it names its entry', undefined],
    ['also when only its place is left', {}],
  ])('may have been sent, and waits for a person: %s', async (_name, keptFields) => {
    const { device, send, spoil, types, standings } = await open();
    const operationId = await device.queue('order-1');
    spoil(operationId, 1, keptFields);
    await send();
    expect(types()).toEqual([]);
    expect(await standings()).toEqual([['propose', 'needs-you', 'unreadable']]);
    expect((await device.items())[0]?.mayHaveBeenSent).toBe(true);
    expect((await device.store.readAll()).unreadable).toMatchObject([{ table: 'log', operationId }]);
  });

  it('what a person says of that operation later waits behind it, and other operations do not', async () => {
    const { server, device, send, spoil } = await open();
    const held = await device.queue('order-1');
    spoil(held);
    await device.decide({ type: 'deny', operationId: held, reason: 'Not this one.' });
    const other = await device.queue('order-2');
    await send();
    expect(server.arrived.map(({ commandId }) => commandId)).toEqual([other]);
  });

  it('its cancellation is a message, and settles it', async () => {
    const { server, device, send, spoil, types, standings } = await open();
    const operationId = await device.queue('order-1');
    spoil(operationId);
    const decided = await device.decide({ type: 'cancel', operationId, reason: 'Not wanted.' });
    expect(decided).toMatchObject({ saved: true, how: 'queued' });
    await send();
    expect(types()).toEqual(['cancel']);
    expect(server.operations.get(operationId)?.state).toBe('cancelled');
    expect((await standings()).map(([type, standing]) => [type, standing])).toEqual([
      ['propose', 'closed'],
      ['cancel', 'closed'],
    ]);
  });

  it('dropping it cancels it first, and so does changing it', async () => {
    const { device, send, spoil, types } = await open();
    const dropped = await device.queue('order-1');
    spoil(dropped);
    expect(await device.intents.drop(`${dropped}/propose/1`)).toMatchObject({ how: 'cancelling' });
    const changed = await device.queue('order-2');
    spoil(changed);
    const begun = await device.intents.revise(changed, sampleOrderSeen('order-2'));
    if (begun.kind !== 'draft') throw new Error(begun.kind);
    await device.intents.queue(begun.draft.operationId, sampleProposal('order-2', 3_000));
    await send();
    await send();
    expect(types().toSorted()).toEqual(['cancel', 'cancel', 'propose']);
  });

  it('the server’s word settles it: what it has is told again, and answered', async () => {
    const { server, outcomes, device, send, spoil, standings } = await open();
    outcomes.push('lost-answer');
    const operationId = await device.queue('order-1');
    await device.round(device.tab(), 'person-asked');
    expect(server.operations.has(operationId)).toBe(true);
    spoil(operationId, 2);
    await send();
    expect(await standings()).toEqual([['propose', 'closed', 'verdict']]);
    expect(server.operations.size).toBe(1);
    expect(new Set(server.textsOf(operationId)).size).toBe(1);
  });

  it('a later row that can be read settles it as well', async () => {
    const { device, send, spoil, standings, types } = await open();
    const operationId = await device.queue('order-1');
    await send();
    spoil(operationId, 1);
    expect(await standings()).toEqual([['propose', 'closed', 'verdict']]);
    await device.decide({ type: 'deny', operationId, reason: 'Not this one.' });
    await send();
    expect(types()).toEqual(['propose', 'deny']);
  });

  it('a changed proposal does not leave beside an old one whose drop may not have been the last word', async () => {
    const { device, send, spoil, types, standings } = await open();
    const old = await device.queue('order-1');
    const begun = await device.intents.revise(old, sampleOrderSeen());
    if (begun.kind !== 'draft') throw new Error(begun.kind);
    await device.intents.queue(begun.draft.operationId, sampleProposal('order-1', 3_000));
    spoil(old, 2);
    await send();
    expect(types()).toEqual([]);
    expect((await standings()).at(-1)).toEqual(['propose', 'needs-you', 'earlier-not-cancelled']);
  });
});
