import { describe, expect, it } from 'vitest';
import { decideSignedOut, decideStartedAs } from '../src/queue/session-decision.ts';
import { statusSummary } from '../src/read/device-item.ts';
import { ownDrafts, ownItems } from '../src/read/own-view.ts';
import { recordLines } from '../src/read/record-lines.ts';
import { PretendDevice } from './pretend-device.ts';
import { PretendHoldfast } from './pretend-holdfast.ts';
import { PretendNetwork } from './pretend-network.ts';
import type { NetworkOutcome } from './pretend-network.ts';
import { sampleOrderSeen } from './samples.ts';

const nothing = { operationIds: [] };

const open = async () => {
  const server = new PretendHoldfast();
  const outcomes: NetworkOutcome[] = [];
  const network = new PretendNetwork(server, () => outcomes.shift() ?? 'arrives');
  const device = new PretendDevice(network);
  await device.signIn();
  const signOut = () => device.store.change(nothing, decideSignedOut);
  const session = async () => (await device.store.read(nothing)).session;
  return { server, outcomes, device, signOut, session };
};

describe('a sign-out that the server has not heard of', () => {
  // Red when: `runRound` sends or looks up before it settles the sign-out.
  it('goes out before anything else, and a round does nothing else until Holdfast has answered it', async () => {
    const { server, outcomes, device, signOut, session } = await open();
    const operationId = await device.queue('order-1');
    await signOut();
    outcomes.push('refused-connection');
    const tab = device.tab();
    const end = await device.round(tab, 'person-asked');
    expect(end).toMatchObject({ kind: 'sign-out-owed', sent: 0 });
    expect(end.nextTryInMs).toBeGreaterThan(0);
    expect(server).toMatchObject({ signOuts: 0, arrived: [], lookedUp: [] });
    expect(await session()).toMatchObject({ subject: null, signOutOwed: true });

    expect((await device.round(tab)).kind).toBe('nobody');
    expect(server).toMatchObject({ signOuts: 1, arrived: [], lookedUp: [] });
    expect(await session()).toMatchObject({ subject: null, signOutOwed: false });

    await device.signIn();
    await device.round(tab);
    expect(server.textsOf(operationId)).toHaveLength(1);
  });

  // Red when: anything but Holdfast's own answer settles it.
  it.each<NetworkOutcome>([
    ...(['refused-connection', 'lost-answer', 'timed-out-after', 'error-500', 'error-500-after'] as const),
    ...(['html-502', 'busy-503', 'rate-limited', 'sign-in-page', 'html-200', 'foreign-json'] as const),
  ])('stays owed after %s', async (outcome) => {
    const { outcomes, device, signOut, session } = await open();
    await signOut();
    outcomes.push(outcome);
    expect((await device.round(device.tab())).kind).toBe('sign-out-owed');
    expect((await session()).signOutOwed).toBe(true);
  });

  // Red when: the app's memory of its last person counts for more than the sign-out.
  it('an app that was killed right after it does not let that person in again', async () => {
    const { device, signOut, session } = await open();
    await signOut();
    await device.store.change(nothing, decideStartedAs('ann'));
    expect(await session()).toMatchObject({ subject: null, signOutOwed: true });
  });

  // Red when: the row is not read again once the tab's turn has come.
  it('two tabs end one session, and never that of the next person', async () => {
    const { server, device, signOut } = await open();
    await signOut();
    await Promise.all([device.round(device.tab()), device.round(device.tab())]);
    await device.signIn('ben');
    await device.round(device.tab());
    expect(server.signOuts).toBe(1);
  });
});

describe('two people on one device', () => {
  // Red when: a read is not narrowed to who is signed in.
  it('the second sees how many items of others wait, and nothing else of them', async () => {
    const { device } = await open();
    await device.queue('order-1');
    await device.intents.begin(sampleOrderSeen('order-2'));
    await device.signIn('ben');
    const all = await device.store.readAll();
    expect(ownItems(all, device.nowMs)).toEqual([]);
    expect(ownDrafts(all)).toEqual([]);
    expect(recordLines(all, 100)).toEqual([]);
    const status = statusSummary(all, { unknown: 0, needsPerson: 0 }, device.nowMs);
    expect(status).toMatchObject({ waiting: 0, otherSubjects: 1, drafts: 0, signInToSend: 0 });
    await device.signIn('ann');
    expect(ownItems(await device.store.readAll(), device.nowMs)).toHaveLength(1);
  });
});
