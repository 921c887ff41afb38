import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FetchedEvent, MirroredRefund, ProviderAdapter } from '@holdfast/providers';
import {
  accountOver,
  createWorkerHouse,
  mint,
  shortSettings,
  type WorkerHouse,
} from '../../test/worker-house.ts';
import { createScriptedProvider } from '../../test/scripted-provider.ts';
import type { KeptFinding } from '../sweep/sweep-run.ts';
import { listSweeps, requestSweep } from './sweep-desk.ts';
import { readFindings } from './sweep-finding-store.ts';
import { createSweeper, type SweepOptions } from './sweep-runner.ts';
import { storeEvent } from './webhook-store.ts';

const provider = createScriptedProvider();
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let house: WorkerHouse;
/** What the provider keeps in its list of events, newest first. */
let events: FetchedEvent[] = [];
let pagesAsked: (string | null)[] = [];
/** Called before each page of refunds is answered. */
let beforePage: (after: string | null) => Promise<void> | void = () => undefined;

const adapter: ProviderAdapter = {
  ...provider.adapter,
  refundPage: async (sinceMs, after, deadlineMs) => {
    pagesAsked.push(after);
    await beforePage(after);
    return provider.adapter.refundPage(sinceMs, after, deadlineMs);
  },
  // Two to a page, so that paging shows.
  eventPage: (sinceMs, after) => {
    const listed = events.filter(({ event }) => event.createdAtMs >= sinceMs);
    const from = after === null ? 0 : listed.findIndex(({ event }) => event.eventId === after) + 1;
    const page = listed.slice(from, from + 2);
    const next = listed.length > from + 2 ? (page.at(-1)?.event.eventId ?? null) : null;
    return Promise.resolve({ kind: 'answer', events: page, next });
  },
};

beforeAll(async () => {
  house = await createWorkerHouse(adapter);
});
afterAll(() => house.close());
beforeEach(async () => {
  events = [];
  pagesAsked = [];
  beforePage = () => undefined;
  await house.database.admin`update sweeps set state = 'given-up', ended_at = now(), lease_until = null
    where state in ('waiting', 'running')`;
  await house.database.admin`update mirror_positions set next_sweep_at = null`;
});

const sweeper = (more: Partial<SweepOptions> = {}) =>
  createSweeper({
    connection: house.database.connection,
    inOrganisation: house.inOrganisation,
    settings: shortSettings,
    clock: { nowMs: () => Date.now(), pause: () => Promise.resolve() },
    ...more,
  });
const account = () => accountOver(adapter, house.organisationId);
const byHand = { askedBy: 'command-line', sinceAgoMs: dayMs };
const newest = async () => {
  const { items } = await house.inOrganisation(house.organisationId, (tx) => listSweeps(tx, {}));
  const [sweep] = items;
  if (sweep === undefined) throw new Error('no sweep');
  return sweep;
};
const findingsOf = async (id: string): Promise<readonly KeptFinding[]> =>
  (await house.inOrganisation(house.organisationId, (tx) => readFindings(tx, id, null, 100))).items;
const dueNow = () =>
  house.database.admin`update mirror_positions set next_sweep_at = now() - interval '1 second'`;
const counted = async (name: string): Promise<number> => {
  const [row] = await house.database.admin<{ total: string }[]>`
    select coalesce(sum(amount), 0)::text as total from counted where name = ${name}`;
  return Number(row?.total);
};

let orders = 0;
const confirmed = async (): Promise<{ id: string; refund: MirroredRefund }> => {
  orders += 1;
  await house.order(`order-${String(orders)}`, `pi_${String(orders)}`, 10_000);
  const id = await house.approved(`order-${String(orders)}`, 100);
  const worker = house.worker();
  await worker.runOnce();
  await worker.runOnce();
  expect((await house.operation(id)).state).toBe('confirmed');
  const refund = provider.ledger.find(({ operationId }) => operationId === id);
  if (refund === undefined) throw new Error('no refund');
  return { id, refund };
};
const failing = (refund: MirroredRefund): MirroredRefund => ({
  ...refund,
  status: 'failed',
  statusText: 'failed',
  failureReason: 'expired_or_canceled_card',
});
let minted = 0;
const eventOf = (record: MirroredRefund, createdAtMs = Date.now()): FetchedEvent => {
  minted += 1;
  const event = {
    eventId: `evt_${String(minted)}`,
    type: record.status === 'failed' ? 'refund.failed' : 'refund.updated',
    createdAtMs,
    liveMode: false,
    accountId: null,
    objectReference: record.reference,
    paymentReference: record.paymentReference,
    idempotencyKey: null,
    metadataOrganisationId: record.organisationId,
    metadataOperationId: record.operationId,
    record,
    dispute: null,
  };
  return { event, raw: JSON.stringify(event) };
};
/** As if the provider had made it long before any window of a sweep. */
const longAgo = (refund: MirroredRefund): MirroredRefund => {
  const old = { ...refund, createdAtMs: Date.now() - 20 * dayMs };
  provider.ledger[provider.ledger.indexOf(refund)] = old;
  return old;
};

describe('a sweep by the schedule', () => {
  test('is begun by one of many processes, when its time in the database has come, and again after the next pause', async () => {
    // Red when: the next time is not moved on in the transaction that takes the sweep, or the lease is not looked at.
    await confirmed();
    const processes = [1, 2, 3, 4].map((name) => sweeper({ name: `worker ${String(name)}` }));
    const all = () => Promise.all(processes.map((one) => one.runDue(account(), hourMs)));
    expect(await all(), 'a new account waits a whole pause').toEqual([null, null, null, null]);
    await dueNow();
    expect((await all()).filter((result) => result !== null)).toMatchObject([{ kind: 'swept' }]);
    expect(await newest()).toMatchObject({ state: 'done', askedBy: { id: 'schedule' }, found: 0 });
    expect(await all(), 'the next one is an hour off').toEqual([null, null, null, null]);
    await dueNow();
    expect(await Promise.all(processes.map((one) => one.runDue(account(), null))), 'no schedule').toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test('one that people asked for is carried out without any schedule, and asking twice asks once', async () => {
    // Red when: what was asked for is not looked for, or each press makes a sweep.
    const ask = () =>
      house.inOrganisation(house.organisationId, (tx) =>
        requestSweep(tx, account(), { askedBy: 'operator-1', sinceAgoMs: dayMs }),
      );
    const [first, second] = [await ask(), await ask()];
    expect([first?.asked, second?.asked, second?.sweep.id]).toEqual([true, false, first?.sweep.id]);
    expect(await sweeper().runDue(account(), null)).toMatchObject({ kind: 'swept' });
    expect(await newest()).toMatchObject({
      id: first?.sweep.id,
      state: 'done',
      askedBy: { id: 'operator-1' },
    });
  });

  test('one whose process was killed is gone on with where it was, by whoever looks next, and finds each thing once', async () => {
    // Red when: the place is not kept with the findings, or findings of a page that is read again are added again.
    const made = [];
    for (let count = 0; count < 5; count += 1) made.push(await confirmed());
    const [first] = made;
    const last = made.at(-1);
    if (first === undefined || last === undefined) throw new Error('none made');
    // Newest first: one on the first page, one beyond the place of the kill.
    provider.ledger.push({ ...last.refund, reference: 're_twice_new', createdAtMs: Date.now() });
    provider.ledger.unshift({ ...first.refund, reference: 're_twice_old' });
    let pages = 0;
    beforePage = () => {
      pages += 1;
      if (pages === 3) throw new Error('killed');
    };
    await expect(sweeper({ name: 'killed' }).run(account(), byHand)).rejects.toThrow('killed');
    const cut = await newest();
    expect(cut).toMatchObject({ state: 'running', refundsRead: 4, found: 1, cutOff: true });
    pagesAsked = [];
    beforePage = () => undefined;
    expect(await sweeper({ name: 'next' }).runDue(account(), null)).toMatchObject({
      kind: 'swept',
      found: 2,
    });
    expect(pagesAsked[0], 'it went on after the second page').not.toBeNull();
    const done = await newest();
    expect(done).toMatchObject({ id: cut.id, state: 'done', worker: 'next', found: 2 });
    expect((await findingsOf(done.id)).map(({ reference }) => reference)).toEqual([
      're_twice_new',
      're_twice_old',
    ]);
    expect(await counted('duplicate_actions')).toBe(2);
    provider.ledger.splice(0, 1);
    provider.ledger.pop();
  });

  test('a process that was frozen past its lease writes nothing into the sweep that another one has taken up', async () => {
    // Red when: `keepProgress` does not ask for the fence.
    let awake: () => void = () => undefined;
    const frozen = new Promise<void>((resolve) => {
      awake = resolve;
    });
    let reached: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => {
      reached = resolve;
    });
    let first = true;
    beforePage = () => {
      if (!first) return undefined;
      first = false;
      reached();
      return frozen;
    };
    const slow = sweeper({ name: 'frozen' }).run(account(), byHand);
    await stopped;
    expect(await sweeper().runDue(account(), null), 'while it holds the lease nobody else does').toBeNull();
    await house.database
      .admin`update sweeps set lease_until = now() - interval '1 second' where state = 'running'`;
    expect(await sweeper({ name: 'other' }).runDue(account(), null)).toMatchObject({ kind: 'swept' });
    const done = await newest();
    awake();
    expect(await slow).toMatchObject({ result: { kind: 'taken-over' } });
    expect(await newest()).toEqual(done);
    expect(done).toMatchObject({ state: 'done', worker: 'other' });
  });

  test('a person is called once to what the provider does not know, however often it is swept', async () => {
    // Red when: every sweep raises it anew, against whoever has looked and cleared it.
    const { id, refund } = await confirmed();
    provider.ledger.splice(provider.ledger.indexOf(refund), 1);
    const first = await sweeper().run(account(), byHand);
    await house.database.admin`update operations set attention = '[]' where id = ${id}`;
    const second = await sweeper().run(account(), byHand);
    if (first.kind !== 'ran' || second.kind !== 'ran') throw new Error('not run');
    const [one, again] = [await findingsOf(first.id), await findingsOf(second.id)];
    expect(again).toMatchObject([{ kind: 'not-at-provider', operationId: id }]);
    expect(again[0]?.firstFoundAt, 'since when it is so').toBe(one[0]?.firstFoundAt);
    expect((await house.operation(id)).attention).toEqual([]);
    provider.ledger.push(refund);
  });
});

describe('events that nobody told', () => {
  test('F055 a refund of weeks ago that failed while nobody listened is reversed by the next sweep, and its money is free', async () => {
    // Red when: a sweep reads no events, or only stores them.
    const { id, refund } = await confirmed();
    const failed = failing(longAgo(refund));
    provider.ledger[provider.ledger.findIndex(({ reference }) => reference === refund.reference)] = failed;
    await house.database.admin`update operations set created_at = now() - interval '20 days',
      first_sent_at = now() - interval '20 days' where id = ${id}`;
    await house.database.admin`update mirror_positions set swept_at = now() - interval '3 days',
      events_through = now() - interval '3 days'`;
    events = [eventOf(failed, Date.now() - 2 * dayMs)];
    await dueNow();
    expect(await sweeper().runDue(account(), hourMs)).toMatchObject({
      kind: 'swept',
      eventsFetched: 1,
      found: 1,
    });
    const { state } = await house.operation(id);
    expect(state).toBe('reversed');
    const [payment] = await house.database.admin<{ refunded: string }[]>`
      select p.refunded from payments p join operations o using (org_id, provider, payment_reference) where o.id = ${id}`;
    expect(Number(payment?.refunded)).toBe(0);
    expect(await findingsOf((await newest()).id)).toMatchObject([
      { kind: 'failed-at-provider', operationId: id },
    ]);
    expect(await counted('late_reversals')).toBe(1);
    const stored = await house.database.admin<{ event_id: string; applied_as: string }[]>`
      select event_id, applied_as from provider_events where operation_id = ${id}`;
    expect(stored).toEqual([{ event_id: events[0]?.event.eventId, applied_as: 'applied' }]);
    // Again, and by its webhook, which comes late: nothing is done twice.
    expect(await sweeper().run(account(), byHand)).toMatchObject({ result: { eventsFetched: 0, found: 0 } });
    const [late] = events;
    if (late === undefined) throw new Error('no event');
    expect(
      await house.inOrganisation(house.organisationId, (tx) =>
        storeEvent(tx, account(), late.event, late.raw, 0),
      ),
    ).toBe('known');
    expect(await counted('late_reversals')).toBe(1);
  });

  test('F056 a success and a failure that were both missed end as reversed, whichever the list shows first, and nothing is sent', async () => {
    // Red when: an event's own record is believed over what the provider says now.
    for (const successFirst of [true, false]) {
      const { id, refund } = await confirmed();
      const old = longAgo(refund);
      const failed = failing(old);
      provider.ledger[provider.ledger.findIndex(({ reference }) => reference === refund.reference)] = failed;
      const requests = provider.requests.length;
      const at = Date.now();
      const told = [eventOf(old, at - 1_000), eventOf(failed, at - 500)];
      events = successFirst ? told : told.toReversed();
      await sweeper().run(account(), byHand);
      expect((await house.operation(id)).state, String(successFirst)).toBe('reversed');
      expect(provider.requests).toHaveLength(requests);
    }
  });

  test('are read over as many pages as there are, and what is known already is neither asked about nor applied again', async () => {
    // Red when: the phase ends with the first page, or each event asks the provider about its refund.
    const { refund } = await confirmed();
    await sweeper().run(account(), byHand);
    events = [1, 2, 3, 4, 5].map(() => eventOf(refund));
    const asked = provider.questions;
    expect(await sweeper().run(account(), byHand)).toMatchObject({
      result: { kind: 'swept', eventsRead: 5, eventsFetched: 5, found: 0 },
    });
    expect(provider.questions).toBe(asked);
    const [waiting] = await house.database.admin<{ count: number }[]>`
      select count(*)::int as count from provider_events where applied_at is null`;
    expect(waiting?.count).toBe(0);
  });
});

describe('F125 after a restore', () => {
  test('the sweep finds what the provider did in the gap, and holds everything until people have looked', async () => {
    // Red when: a refund of ours without an operation passes for nothing.
    const { refund } = await confirmed();
    const lost = mint();
    provider.ledger.push({ ...refund, reference: 're_gap', operationId: lost, createdAtMs: Date.now() });
    const ran = await sweeper().run(account(), byHand);
    if (ran.kind !== 'ran') throw new Error(ran.kind);
    expect(await findingsOf(ran.id)).toContainEqual(
      expect.objectContaining({ kind: 'unaccounted', operationId: lost, reference: 're_gap' }),
    );
    const [organisation] = await house.database.admin<{ hold_on: boolean }[]>`
      select hold_on from organisations where org_id = ${house.organisationId}`;
    expect(organisation?.hold_on).toBe(true);
  });
});
