import { afterEach, describe, expect, inject, it } from 'vitest';
import { sampleOrderSeen, sampleProposal } from '../samples.ts';
import { BrowserWorld, holdLock } from './browser-world.ts';
import type { ServerFault } from './pretend-server.ts';

let world: BrowserWorld;
afterEach(() => world.close());

describe('F084: over real HTTP, an entry goes out later with the same ID and bytes', () => {
  // Red when: any of these answers ends the entry, or the body is built anew for each attempt.
  it.each<[string, ServerFault, string]>([
    ['500', 'error-500', 'server-trouble'],
    ['503 with Retry-After', 'busy-503', 'server-trouble'],
    ['502 with a web page', 'html-502', 'server-trouble'],
    ['the connection cut before anything was done', 'drop', 'unreachable'],
    ['the connection cut after it was taken', 'take-then-drop', 'unreachable'],
    ['aborted at the deadline', 'hang', 'timed-out'],
    ['aborted at the deadline after it was taken', 'take-then-hang', 'timed-out'],
  ])('F084: %s', async (_name, fault, result) => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    // Twice: Chromium by itself sends a POST again when a connection that it reused is cut.
    await world.faults(fault, fault);
    const operationId = await world.queue(tab);
    await world.untilReceived(tab, operationId);
    const record = await world.read(tab, { of: 'record' });
    const results = record.state === 'ready' ? record.value.map((line) => line.result) : [];
    expect(results).toContain(result);
    const body = await world.storedBody(operationId);
    expect(new Set(await world.arrivedTexts(operationId))).toEqual(new Set([body]));
    expect((await world.report()).operations).toHaveLength(1);
  });

  it('F084: connection refused', async () => {
    world = await BrowserWorld.open();
    await world.tell({ do: 'close' });
    const tab = await world.openTab();
    const operationId = await world.queue(tab);
    await expect
      .poll(async () => (await world.items(tab))[0]?.notSentBecause, { timeout: 5_000 })
      .toBe('unreachable');
    expect((await world.items(tab))[0]).toMatchObject({
      safety: 'saved',
      mayHaveBeenSent: true,
      ending: null,
    });
    const status = await world.read(tab, { of: 'status' });
    expect(status).toMatchObject({ state: 'ready', value: { waiting: 1, allReceived: false } });
    await world.tell({ do: 'listen' });
    await world.untilReceived(tab, operationId);
    expect(await world.arrivedTexts(operationId)).toEqual([await world.storedBody(operationId)]);
  });

  // Red when: the attempt's row is written after the request, or a new tab does not look for what is open.
  it.each<[string, ServerFault]>([
    ['before the server took it', 'hang'],
    ['after the server took it', 'take-then-hang'],
  ])('F084: the tab is killed in mid-send, %s', async (_name, fault) => {
    // Without locks its lease has to run out first.
    world = await BrowserWorld.open({ requestTimeoutMs: 3_000 });
    const tab = await world.openTab();
    await world.faults(fault);
    const operationId = await world.queue(tab);
    await expect.poll(async () => (await world.report()).requests).toBe(1);
    const body = await world.storedBody(operationId);
    tab.kill();
    const again = await world.openTab({});
    expect(again.outbox.subject()).toBe('ann');
    await world.untilReceived(again, operationId);
    expect(new Set(await world.arrivedTexts(operationId))).toEqual(new Set([body]));
    const { operations, lookedUp } = await world.report();
    expect(operations).toHaveLength(1);
    expect(lookedUp).toEqual([[operationId]]);
  });
});

describe('the network comes back', () => {
  // Red when: `OfflineRest` does not ask, or its probe's answer does not end the rest.
  it('a browser that wrongly says it is offline sends by itself, and what waits is never tried while nobody answers', async () => {
    world = await BrowserWorld.open();
    await world.tell({ do: 'close' });
    const tab = await world.openTab({ subject: 'ann' }, {}, ({ navigator }) =>
      Object.defineProperty(navigator, 'onLine', { get: () => false }),
    );
    const operationId = await world.queue(tab);
    const connectivity = () => world.read(tab, { of: 'connectivity' });
    await expect.poll(async () => (await world.items(tab))[0]?.notSentBecause).toBe('not-tried-yet');
    expect((await world.items(tab))[0]).toMatchObject({ mayHaveBeenSent: false, attemptCount: 0 });
    await world.tell({ do: 'listen' });
    await world.untilReceived(tab, operationId);
    expect(await connectivity()).toMatchObject({ value: { holdfast: 'reached' } });
    expect(await world.arrivedTexts(operationId)).toHaveLength(1);
  });

  // Red when: "online" wakes nobody.
  it('what failed for want of it goes out by itself, long before its own pause is over', async () => {
    const hourMs = 3_600_000;
    world = await BrowserWorld.open({ firstPauseMs: hourMs, longestPauseMs: hourMs });
    await world.tell({ do: 'close' });
    const tab = await world.openTab();
    const page = tab.frame.contentWindow;
    page?.dispatchEvent(new Event('offline'));
    const operationId = await world.queue(tab);
    await expect
      .poll(async () => (await world.items(tab))[0]?.notSentBecause, { timeout: 5_000 })
      .toBe('unreachable');
    await world.tell({ do: 'listen' });
    page?.dispatchEvent(new Event('online'));
    await world.untilReceived(tab, operationId);
    expect(await world.arrivedTexts(operationId)).toHaveLength(1);
  });

  // Red when: a tap waits until the return has been spread.
  it('a person’s own tap goes out at once, whatever the device is waiting for', async () => {
    const hourMs = 3_600_000;
    world = await BrowserWorld.open({ firstPauseMs: hourMs, longestPauseMs: hourMs });
    const tab = await world.openTab();
    tab.frame.contentWindow?.dispatchEvent(new Event('offline'));
    tab.frame.contentWindow?.dispatchEvent(new Event('online'));
    const operationId = await world.queue(tab);
    await world.untilReceived(tab, operationId);
  });
});

describe('twice', () => {
  // Red when: the key of a proposal's entry is not derived from its operation.
  it('F026: double clicks in two tabs at once are one item and one proposal', async () => {
    world = await BrowserWorld.open();
    const tabs = [await world.openTab(), await world.openTab()];
    const begun = await Promise.all(tabs.map(({ outbox }) => outbox.begin(sampleOrderSeen())));
    const ids = new Set(begun.map((one) => (one.kind === 'draft' ? one.draft.operationId : one.kind)));
    expect(ids.size).toBe(1);
    const [operationId = ''] = ids;
    const clicks = tabs.flatMap(({ outbox }) =>
      [1, 2].map(() => outbox.queue(operationId, sampleProposal())),
    );
    const answers = await Promise.all(clicks);
    expect(answers.filter((answer) => answer.saved && !answer.again)).toHaveLength(1);
    expect(answers.every((answer) => answer.saved)).toBe(true);
    const [tab] = tabs;
    if (tab) await world.untilReceived(tab, operationId);
    await Promise.all(tabs.map(({ outbox }) => outbox.sendNow()));
    expect(await world.arrivedTexts(operationId)).toHaveLength(1);
  });

  it('F028: after sending, a reload meets the same operation and its form is closed everywhere', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    const other = await world.openTab();
    const operationId = await world.queue(tab);
    const drafts = await world.read(other, { of: 'drafts' });
    expect(drafts).toEqual({ state: 'ready', value: [] });
    expect(await other.outbox.saveDraft(operationId, { amountText: '1' })).toMatchObject({ saved: false });
    tab.kill();
    const reloaded = await world.openTab({});
    expect(await reloaded.outbox.begin(sampleOrderSeen())).toEqual({ kind: 'already-queued', operationId });
    const another = await reloaded.outbox.beginAnother(sampleOrderSeen(), operationId);
    const again = await other.outbox.beginAnother(sampleOrderSeen(), operationId);
    expect(another).toMatchObject({ kind: 'draft', isNew: true });
    expect(again).toMatchObject({ kind: 'draft', isNew: false });
  });

  // Red when: with locks, `takeLease` is not asked; without, neither is.
  it.each([true, false])('F082: three drains at once, locks %s: one request at a time', async (useLocks) => {
    world = await BrowserWorld.open({ useLocks });
    await world.tell({ do: 'close' });
    const tab = await world.openTab();
    const operationId = await world.queue(tab);
    await expect.poll(async () => (await world.items(tab))[0]?.attemptCount).toBeGreaterThan(0);
    await world.tell({ do: 'listen' });
    await world.faults('slow', 'slow', 'slow');
    const options = world.outboxOptions();
    await Promise.all([tab.outbox.sendNow(), tab.loaded.sendOnce(options), tab.loaded.sendOnce(options)]);
    await world.untilReceived(tab, operationId);
    const { mostUnderWay } = await world.report();
    expect(mostUnderWay).toBe(1);
    expect(await world.arrivedTexts(operationId)).toHaveLength(1);
  });

  // Red when: a busy lock alone keeps the sender from sending.
  it('a frozen page that keeps the lock keeps nothing from being sent', async () => {
    world = await BrowserWorld.open();
    const frozen = holdLock(`${world.name}-sender`);
    const tab = await world.openTab();
    const operationId = await world.queue(tab);
    await world.untilReceived(tab, operationId);
    frozen();
  });

  // Red when: `takeLease` does not look at `gone`, or `isGone` always answers no.
  it('a tab that was killed in mid-send holds nothing back, also when it had begun while another had the lock', async () => {
    const useLocks = inject('useLocks');
    // Without locks only the lease's age tells that its tab is gone.
    world = await BrowserWorld.open({ requestTimeoutMs: useLocks ? 20_000 : 2_000 });
    const another = holdLock(`${world.name}-sender`);
    const tab = await world.openTab();
    await world.faults('hang');
    const operationId = await world.queue(tab);
    await expect.poll(async () => (await world.report()).requests).toBe(1);
    tab.kill();
    another();
    const reloaded = await world.openTab({});
    await world.untilReceived(reloaded, operationId);
    expect((await world.report()).operations).toHaveLength(1);
  });

  it('a service worker’s turn sends what a closed tab left, and says what still waits', async () => {
    world = await BrowserWorld.open();
    await world.tell({ do: 'close' });
    const tab = await world.openTab();
    const operationId = await world.queue(tab);
    await tab.outbox.stop();
    const options = world.outboxOptions();
    expect(await tab.loaded.sendOnce(options)).toEqual({ waiting: 1 });
    await world.tell({ do: 'listen' });
    expect(await tab.loaded.sendOnce(options)).toEqual({ waiting: 0 });
    expect(await world.arrivedTexts(operationId)).toEqual([await world.storedBody(operationId)]);
  });
});

describe('networks and sign-ins', () => {
  // Red when: a redirect is followed, or a web page is taken for an answer.
  it.each([
    ['redirects', 'redirect'],
    ['answers with a web page', 'web-page'],
  ] as const)('F087: a hotel network that %s is not Holdfast', async (_name, portal) => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    await world.tell({ do: 'portal', portal });
    const operationId = await world.queue(tab);
    await expect.poll(async () => (await world.items(tab))[0]?.notSentBecause).toBe('network-sign-in');
    const connectivity = await world.read(tab, { of: 'connectivity' });
    expect(connectivity).toMatchObject({ value: { holdfast: 'not-reached', trouble: 'network-sign-in' } });
    expect(await world.arrivedTexts(operationId)).toEqual([]);
    // What was meant for Holdfast is not carried on to the hotel.
    expect((await world.report()).portalVisits).toBe(0);
    await world.tell({ do: 'portal', portal: null });
    await world.untilReceived(tab, operationId);
  });

  it('F086: a 401 parks the queue in every tab, and a sign-in in one tab sends it', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    const other = await world.openTab();
    await world.faults('signed-out', 'signed-out', 'signed-out');
    const operationId = await world.queue(tab);
    const asked = world.ask(other, { of: 'connectivity' });
    await expect.poll(() => asked.latest()).toMatchObject({ value: { signInNeeded: true } });
    const status = await world.read(other, { of: 'status' });
    expect(status).toMatchObject({ value: { signInToSend: 1, waiting: 1, needsYou: 0 } });
    // The faults that were left are for tries that must not have been made.
    expect((await world.report()).requests).toBe(1);
    await world.faults();
    await other.outbox.signedIn('ann');
    await world.untilReceived(tab, operationId);
    asked.stop();
  });

  it('what one person left is not sent under the next, and is after their own sign-in', async () => {
    world = await BrowserWorld.open();
    await world.tell({ do: 'close' });
    const tab = await world.openTab();
    const operationId = await world.queue(tab);
    await tab.outbox.signedOut();
    expect(await tab.outbox.begin(sampleOrderSeen())).toMatchObject({ kind: 'not-saved' });
    await world.tell({ do: 'listen' });
    await tab.outbox.signedIn('bob');
    await tab.outbox.sendNow();
    expect((await world.report()).requests).toBe(0);
    const status = await world.read(tab, { of: 'status' });
    expect(status).toMatchObject({ value: { waiting: 0, otherSubjects: 1 } });
    await tab.outbox.signedIn('ann');
    await world.untilReceived(tab, operationId);
  });
});
