import { describe, expect, it } from 'vitest';
import type { Proposal } from '@holdfast/operation';
import { UnsavedSends } from '../src/send/unsaved-send.ts';
import { PretendDevice } from './pretend-device.ts';
import { PretendHoldfast } from './pretend-holdfast.ts';
import { PretendNetwork } from './pretend-network.ts';
import type { NetworkOutcome } from './pretend-network.ts';
import { sampleOrderSeen, sampleProposal } from './samples.ts';

/** A screen on a device that stores nothing. */
const openScreen = () => {
  const server = new PretendHoldfast();
  const outcomes: NetworkOutcome[] = [];
  const network = new PretendNetwork(server, () => outcomes.shift() ?? 'arrives');
  const device = new PretendDevice(network);
  const screen = { subject: 'ann' as string | null };
  const sends = new UnsavedSends({
    transport: network,
    told: { epoch: () => Promise.reject(new Error('no cache')), applyOperations: () => Promise.resolve() },
    clock: { nowMs: () => device.nowMs },
    mintId: device.mint,
    requestTimeoutMs: 20_000,
    subject: () => screen.subject,
    heard: () => undefined,
  });
  const press = (id: string, proposal: Proposal) => sends.send(id, proposal);
  return { server, outcomes, device, sends, screen, press, id: device.mint() };
};

const one = sampleProposal('order-1', 4_999);
const other = sampleProposal('order-1', 3_000);

describe('sending without an offline copy', () => {
  // Red when: each press mints an ID of its own.
  it('F022: pressed again after a lost answer, the same ID and the same bytes go out: one refund', async () => {
    const { server, outcomes, press, id } = openScreen();
    outcomes.push('lost-answer');
    expect(await press(id, one)).toEqual({
      kind: 'not-heard',
      operationId: id,
      reason: 'unreachable',
      mayHaveBeenSent: true,
    });
    expect(await press(id, { ...one })).toMatchObject({ kind: 'received', operationId: id });
    expect(new Set(server.textsOf(id)).size).toBe(1);
    expect(server.operations.size).toBe(1);
  });

  it('a double click is one request after the other with one ID', async () => {
    const { server, press, id } = openScreen();
    const answers = await Promise.all([press(id, one), press(id, one)]);
    expect(answers.map(({ kind }) => kind)).toEqual(['received', 'received']);
    expect(server.operations.size).toBe(1);
  });

  // Red when: a changed text goes out under the old ID, or before the cancellation was heard.
  it('a form changed after it may have been sent: the old ID is cancelled first, the new text has its own', async () => {
    const { server, outcomes, press, id } = openScreen();
    outcomes.push('lost-answer', 'refused-connection');
    await press(id, one);
    const unheard = await press(id, other);
    expect(unheard).toMatchObject({ kind: 'not-heard', mayHaveBeenSent: false });
    expect(server.arrived.map(({ type }) => type)).toEqual(['propose']);
    const sent = await press(id, other);
    if (sent.kind !== 'received') throw new Error(sent.kind);
    expect(sent.operationId).not.toBe(id);
    expect(server.arrived.map(({ type, commandId }) => [type, commandId === sent.operationId])).toEqual([
      ['propose', false],
      ['cancel', false],
      ['propose', true],
    ]);
    expect(server.operations.get(id)?.state).toBe('cancelled');
  });

  it('a late copy of the text that was changed does nothing any more', async () => {
    const { server, outcomes, press, id } = openScreen();
    outcomes.push('refused-connection');
    await press(id, one);
    await press(id, other);
    server.commands(
      `{"commands":[${JSON.stringify({ ...one, commandId: id, operationId: id, type: 'propose' })}]}`,
    );
    const alive = [...server.operations.values()].filter(({ state }) => state !== 'cancelled');
    expect(alive.map(({ amount }) => amount?.minor)).toEqual([3_000]);
  });

  // Red when: a cancellation that came too late counts as done.
  it('an earlier text that can no longer be cancelled stands, and the changed one is not sent', async () => {
    const { server, outcomes, press, id } = openScreen();
    outcomes.push('lost-answer');
    await press(id, one);
    server.underWay.add(id);
    expect(await press(id, other)).toMatchObject({
      kind: 'earlier-stands',
      operationId: id,
      problem: { status: 409 },
    });
    expect(server.operations.size).toBe(1);
  });

  it('what a changed proposal replaces is cancelled before it is sent', async () => {
    const { server, device, sends, press, id } = openScreen();
    const before = device.mint();
    sends.opened(id, before);
    await press(id, one);
    expect(server.arrived.map(({ type }) => type)).toEqual(['cancel', 'propose']);
    expect(server.operations.get(before)?.state).toBe('cancelled');
  });

  it('Holdfast’s own "sign in" takes nothing: the form may change under the same ID', async () => {
    const { server, outcomes, press, id } = openScreen();
    outcomes.push('signed-out');
    expect(await press(id, one)).toMatchObject({ kind: 'not-heard', mayHaveBeenSent: false });
    expect(await press(id, other)).toMatchObject({ kind: 'received', operationId: id });
    expect(server.arrived.map(({ type }) => type)).toEqual(['propose']);
  });

  it('a refusal is told with its problem; another person’s screen goes on with nothing', async () => {
    const { server, screen, press, id } = openScreen();
    server.refused.add(id);
    expect(await press(id, one)).toMatchObject({ kind: 'refused', problem: { status: 409 } });
    screen.subject = 'bob';
    expect(await press(id, one)).toEqual({ kind: 'not-sent', because: { reason: 'signed-out' } });
    expect(server.arrived).toHaveLength(1);
  });

  // Red when: `begin` gives no ID with "not saved", or an ID although nobody is signed in.
  it('a form whose draft was not stored has an ID for its screen, and says that it is not saved', async () => {
    const { device } = openScreen();
    expect(await device.intents.begin(sampleOrderSeen())).toMatchObject({
      because: { reason: 'signed-out' },
      unsavedOperationId: null,
    });
    await device.signIn();
    device.store.failNextWrite = new Error('QuotaExceededError');
    const begun = await device.intents.begin(sampleOrderSeen());
    expect(begun).toMatchObject({ kind: 'not-saved', because: { reason: 'storage-failed' } });
    expect(begun.kind === 'not-saved' && begun.unsavedOperationId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(device.store.rows.drafts.size).toBe(0);
  });
});
