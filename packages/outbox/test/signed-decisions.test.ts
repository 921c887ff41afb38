import type { Assertion } from '@holdfast/operation';
import { describe, expect, it } from 'vitest';
import type { DecisionIntent } from '../src/outbox-interface.ts';
import { PretendDevice } from './pretend-device.ts';
import { PretendHoldfast } from './pretend-holdfast.ts';
import { PretendNetwork } from './pretend-network.ts';
import type { NetworkOutcome } from './pretend-network.ts';
import { createMint } from './samples.ts';

const assertion: Assertion = {
  credentialId: 'Y3JlZA',
  authenticatorData: 'YXV0aA',
  clientDataJSON: 'Y2xpZW50',
  signature: 'c2ln',
  signedAt: '2026-03-01T06:00:00.000Z',
  expiresAt: '2026-03-08T06:00:00.000Z',
};

const mint = createMint(90);

const open = async () => {
  const outcomes: NetworkOutcome[] = [];
  const server = new PretendHoldfast();
  const device = new PretendDevice(new PretendNetwork(server, () => outcomes.shift() ?? 'arrives'));
  await device.signIn();
  const operationId = await device.queue('order-1');
  const send = () => device.round(device.tab(), 'person-asked');
  await send();
  const commandId = mint();
  const unsigned: DecisionIntent = { type: 'approve', operationId, fingerprint: 'a'.repeat(64) };
  const signed: DecisionIntent = { ...unsigned, signature: { commandId, assertion } };
  const approvals = async () =>
    (await device.items()).filter(({ type, ending }) => type === 'approve' && ending === null);
  return { outcomes, server, device, send, commandId, unsigned, signed, approvals };
};

describe('a signed approval on its way', () => {
  // Red when: the ID is minted anew at queueing, the assertion is left out, or a resend is written anew.
  it('goes out under the ID that was signed, with its assertion, the same each time', async () => {
    const { outcomes, server, device, send, commandId, signed, approvals } = await open();
    await device.decide(signed);
    const [item] = await approvals();
    expect(item?.command).toMatchObject({ type: 'approve', commandId, assertion });
    outcomes.push('error-500');
    await send();
    device.nowMs += 3_600_000;
    await send();
    const arrived = server.arrived.filter(({ type }) => type === 'approve');
    expect(arrived.map(({ text }) => JSON.parse(text) as unknown)).toMatchObject([{ commandId, assertion }]);
  });

  // Red when: signing after an unsigned tap leaves the unsigned one to be sent, or a second tap queues a second one.
  it('takes the place of an unsigned one that was not sent, and a second signature changes nothing', async () => {
    const { device, commandId, unsigned, signed, approvals } = await open();
    await device.decide(unsigned);
    await device.decide(signed);
    expect((await approvals()).map(({ command }) => command.commandId)).toEqual([commandId]);
    await device.decide({ ...unsigned, signature: { commandId: mint(), assertion } });
    expect((await approvals()).map(({ command }) => command.commandId)).toEqual([commandId]);
  });

  // Red when: `sameAsBefore` takes a signed approval for the unsigned one before it.
  it('goes out also after an unsigned one that may have arrived, or was taken: a signature is never left out', async () => {
    for (const before of ['lost-answer', 'arrives'] as const) {
      const { outcomes, server, device, send, commandId, unsigned, signed } = await open();
      await device.decide(unsigned);
      outcomes.push(before);
      await send();
      await device.decide(signed);
      device.nowMs += 3_600_000;
      await send();
      await send();
      const arrived = server.arrived.filter(({ type }) => type === 'approve');
      expect(arrived.map(({ text }) => (JSON.parse(text) as { commandId: string }).commandId)).toContain(
        commandId,
      );
    }
  });
});
