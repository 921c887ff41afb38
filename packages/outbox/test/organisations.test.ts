import { describe, expect, it } from 'vitest';
import { statusSummary } from '../src/read/device-item.ts';
import type { ServerRequest, Transport } from '../src/send/transport.ts';
import { PretendDevice } from './pretend-device.ts';
import { PretendHoldfast } from './pretend-holdfast.ts';
import { PretendNetwork, type NetworkOutcome } from './pretend-network.ts';

const open = async () => {
  const server = new PretendHoldfast();
  const outcomes: NetworkOutcome[] = [];
  const network = new PretendNetwork(server, () => outcomes.shift() ?? 'arrives');
  const requests: ServerRequest[] = [];
  const transport: Transport = {
    send: (request, cancellation) => {
      requests.push(request);
      return network.send(request, cancellation);
    },
  };
  const device = new PretendDevice(transport);
  await device.signIn('ann');
  const status = async () =>
    statusSummary(await device.store.readAll(), { unknown: 0, needsPerson: 0 }, device.nowMs);
  return { server, outcomes, device, requests, status };
};

describe('a person in two organisations', () => {
  // Red when: `blockOf` compares persons instead of subjects, or `elsewhereOf` tells of other people.
  it('has what was queued under one never sent under the other: it is counted there, and goes out under its own', async () => {
    const { server, device, status } = await open();
    await device.signIn('bob');
    await device.queue('order-9');
    await device.signIn('ann');
    const first = await device.queue('order-1');
    await device.signIn('ann@north');
    const second = await device.queue('order-1');
    await device.round(device.tab(), 'person-asked');
    expect([...server.operations.keys()]).toEqual([second]);
    expect(server.textsOf(second)[0]).toContain('"subject":"ann@north"');
    expect(server.textsOf(first)).toEqual([]);
    expect(await status()).toMatchObject({
      waiting: 0,
      otherSubjects: 2,
      elsewhere: [{ subject: 'ann', waiting: 1 }],
    });
    await device.signIn('ann');
    await device.round(device.tab());
    expect([...server.operations.keys()]).toEqual([second, first]);
    expect(server.textsOf(first)[0]).toContain('"subject":"ann"');
    expect(await status()).toMatchObject({ elsewhere: [] });
  });

  // Red when: a look-up does not say for whom it asks: a session that is already for another organisation would answer
  // that it knows none of it, and what was received would be sent once more.
  it('asks what became of its items as the subject they belong to', async () => {
    const { device, outcomes, requests } = await open();
    await device.queue('order-1');
    outcomes.push('lost-answer');
    await device.round(device.tab());
    device.nowMs += 3_600_000;
    const tab = device.tab();
    tab.lookUpFirst();
    await device.round(tab);
    const lookUps = requests.filter(({ path }) => path.endsWith('/lookup'));
    expect(lookUps.length).toBeGreaterThan(0);
    expect(new Set(lookUps.map(({ subject }) => subject))).toEqual(new Set(['ann']));
  });
});
