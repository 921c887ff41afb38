import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ada,
  approval,
  ben,
  createEngineHouse,
  operationIn,
  proposal,
  type EngineHouse,
} from '../../test/engine-house.ts';
import type { MetricsSnapshot } from '../engine-interface.ts';
import { changeOperation } from '../postgres/change-operation.ts';
import type { OrganisationTransaction } from '../postgres/connection.ts';
import { addEndpoint, removeEndpoint, switchEndpoint, testEndpoint } from '../postgres/endpoint-store.ts';

let house: EngineHouse;
beforeAll(async () => {
  house = await createEngineHouse();
});
afterAll(() => house.close());

const valueOf = (
  { samples }: MetricsSnapshot,
  name: string,
  labels: Record<string, string> = {},
): number | undefined =>
  samples.find(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )?.value;

describe('the metrics', () => {
  it('exist from the start, zeros included', async () => {
    const fresh = await house.engine.createOrganisation('Fresh');
    const snapshot = await house.engine.metrics(fresh.id);
    const names = [...new Set(snapshot.samples.map(({ name }) => name))].sort();
    expect(names).toEqual([
      'holdfast_assistant_calls_held_back_total',
      'holdfast_attempts_total',
      'holdfast_clock_skew_seconds',
      'holdfast_duplicate_actions_total',
      'holdfast_foreign_actions_total',
      'holdfast_last_sweep_seconds',
      'holdfast_late_reversals_total',
      'holdfast_most_proposals_of_one',
      'holdfast_oldest_seconds',
      'holdfast_oldest_unresolved_seconds',
      'holdfast_operations',
      'holdfast_replay_window_at_risk',
      'holdfast_replays_absorbed_total',
      'holdfast_unapplied_events_oldest_seconds',
      'holdfast_unresolved',
      'holdfast_webhook_undelivered',
      'holdfast_webhook_undelivered_oldest_seconds',
    ]);
    expect(snapshot.samples.filter(({ value }) => value !== 0)).toEqual([]);
    expect(snapshot.reconciliationSeconds.map(({ how, count }) => [how, count])).toContainEqual([
      'look-up',
      0,
    ]);
  });

  it('count states, absorbed replays, and the time from unknown to settled by how it was settled', async () => {
    const command = proposal(await house.order(), 1_000);
    const operation = operationIn((await house.give(ada, command))[0]);
    await house.give(ada, command);
    const approve = approval(operation);
    await house.give(ben, approve);
    await house.give(ben, approve);
    let snapshot = await house.engine.metrics(house.organisationId);
    expect(valueOf(snapshot, 'holdfast_operations', { state: 'approved' })).toBe(1);
    expect(valueOf(snapshot, 'holdfast_replays_absorbed_total', { at: 'intake' })).toBe(1);
    expect(valueOf(snapshot, 'holdfast_replays_absorbed_total', { at: 'command' })).toBe(1);

    const change = (expectedVersion: number, type: 'claim' | 'lose-sight' | 'evidence-confirmed') =>
      house.runtime.inOrganisation(house.organisationId, (tx) =>
        changeOperation(tx, {
          operationId: operation.id,
          expectedVersion,
          event: { type },
          by: { actorId: null },
          settledHow: 'look-up',
        }),
      );
    await change(2, 'claim');
    await change(3, 'lose-sight');
    await house.database.admin`update operations set unknown_since = now() - interval '100 seconds'
      where id = ${operation.id}`;
    snapshot = await house.engine.metrics(house.organisationId);
    expect(valueOf(snapshot, 'holdfast_unresolved', { needs_person: 'false' })).toBe(1);
    expect(valueOf(snapshot, 'holdfast_oldest_unresolved_seconds')).toBeGreaterThanOrEqual(100);
    expect(valueOf(snapshot, 'holdfast_oldest_seconds', { state: 'outcome_unknown' })).toBeGreaterThanOrEqual(
      100,
    );
    await change(4, 'evidence-confirmed');
    snapshot = await house.engine.metrics(house.organisationId);
    expect(valueOf(snapshot, 'holdfast_unresolved', { needs_person: 'false' })).toBe(0);
    const byLookUp = snapshot.reconciliationSeconds.find(({ how }) => how === 'look-up');
    expect(byLookUp).toMatchObject({ count: 1 });
    expect(byLookUp?.buckets.find(({ le }) => le === 60)?.count).toBe(0);
    expect(byLookUp?.buckets.find(({ le }) => le === 300)?.count).toBe(1);
  });

  // Red when: a state has no gauge of its own, or its age is taken from something that a healthy process renews.
  it('F119: say of each unfinished state how many there are and how old the oldest is, though nothing fails', async () => {
    const stuck = await createEngineHouse();
    const states = [
      'approved',
      'approved',
      'approved',
      'submitting',
      'submitting',
      'outcome_unknown',
    ] as const;
    for (const state of states) {
      const operation = operationIn((await stuck.give(ada, proposal(await stuck.order(), 1_000)))[0]);
      await stuck.give(ben, approval(operation));
      const steps = {
        approved: [],
        submitting: ['claim'],
        outcome_unknown: ['claim', 'lose-sight'],
      } as const;
      let expectedVersion = 2;
      for (const type of steps[state]) {
        await stuck.runtime.inOrganisation(stuck.organisationId, (tx) =>
          changeOperation(tx, {
            ...{ operationId: operation.id, expectedVersion, event: { type }, by: { actorId: null } },
          }),
        );
        expectedVersion += 1;
      }
    }
    await stuck.database.admin`update operations set approved_at = now() - interval '15 minutes',
      updated_at = now() - interval '15 minutes', unknown_since = now() - interval '15 minutes'`;
    const snapshot = await stuck.engine.metrics(stuck.organisationId);
    const seen = (['approved', 'submitting', 'outcome_unknown', 'pending'] as const).map((state) => [
      valueOf(snapshot, 'holdfast_operations', { state }),
      (valueOf(snapshot, 'holdfast_oldest_seconds', { state }) ?? -1) >= 900,
    ]);
    expect(seen).toEqual([
      [3, true],
      [2, true],
      [1, true],
      [0, false],
    ]);
    await stuck.close();
  });
});

describe('what other programs are to be told', () => {
  const seen = async () => {
    const snapshot = await house.engine.metrics(house.organisationId);
    const waiting = ['0', '300', '3600', '86400'].map((bound) =>
      valueOf(snapshot, 'holdfast_webhook_undelivered', { older_than_seconds: bound }),
    );
    return { waiting, oldest: valueOf(snapshot, 'holdfast_webhook_undelivered_oldest_seconds') ?? 0 };
  };

  // Red when: what was delivered counts, what waits does not age, or an endpoint that people switched off alarms.
  it('is counted by how long it waits, until it is told or nobody waits for it', async () => {
    const { admin } = house.database;
    const within = <Result>(work: (tx: OrganisationTransaction) => Promise<Result>): Promise<Result> =>
      house.runtime.inOrganisation(house.organisationId, work);
    const id = randomUUID();
    const added = { id, url: 'https://example.test/in', description: 'books', eventTypes: [], by: ada.id };
    await within((tx) => addEndpoint(tx, { ...added, secret: new Uint8Array([1]) }));
    for (const hours of [0, 2, 30]) {
      const eventId = await within((tx) => testEndpoint(tx, id, ada.id));
      await admin`update announcements set made_at = made_at - make_interval(hours => ${hours})
        where event_id = ${eventId ?? ''}`;
    }
    const all = await seen();
    expect(all.waiting).toEqual([3, 2, 2, 1]);
    expect(all.oldest).toBeGreaterThanOrEqual(30 * 3_600);
    await within((tx) => switchEndpoint(tx, id, false, ada.id));
    expect(await seen()).toEqual({ waiting: [0, 0, 0, 0], oldest: 0 });
    await within((tx) => switchEndpoint(tx, id, true, ada.id));
    await admin`update announcements set delivered_at = now() where made_at < now() - interval '1 day'`;
    const fewer = await seen();
    expect(fewer.waiting).toEqual([2, 1, 1, 0]);
    expect(fewer.oldest).toBeLessThan(3 * 3_600);
    await within((tx) => removeEndpoint(tx, id, ada.id));
    expect((await seen()).waiting).toEqual([0, 0, 0, 0]);
  });
});

describe('the age of the last sweep', () => {
  const age = async (id: string) => valueOf(await house.engine.metrics(id), 'holdfast_last_sweep_seconds');

  // Red when: a sweep that gave up counts, or an organisation that was never swept looks freshly swept for ever.
  it('runs from the last one that ended whole, before that from the beginning, and not before there is an account', async () => {
    const { id } = await house.engine.createOrganisation('Swept');
    const { admin } = house.database;
    await admin`update organisations set created_at = now() - interval '3 days' where org_id = ${id}`;
    expect(await age(id)).toBe(0);
    await admin`insert into mirror_positions (org_id, provider, account_id, updated_at)
      values (${id}, 'stripe', 'acct_1', now())`;
    expect(Math.round(Number(await age(id)) / 3_600)).toBe(72);
    for (const [state, hours] of [
      ['done', 5],
      ['no-answer', 1],
    ] as const) {
      await admin`insert into sweeps
          (org_id, id, provider, account_id, asked_by, asked_at, since, swept_at, state, started_at, ended_at)
        select ${id}, ${randomUUID()}, 'stripe', 'acct_1', 'schedule', t, t, t, ${state}, t, t
        from (select now() - make_interval(hours => ${hours}) as t) at`;
    }
    expect(Math.round(Number(await age(id)) / 3_600)).toBe(5);
  });
});

describe('the hold', () => {
  it('shows on approved operations why they wait, and lets them go on when it ends', async () => {
    const operation = operationIn((await house.give(ada, proposal(await house.order(), 1_000)))[0]);
    await house.give(ben, approval(operation));
    await house.engine.hold.set(house.organisationId, true, 'user-olga', 'looking into something');
    expect(await house.engine.hold.get(house.organisationId)).toMatchObject({ on: true, by: 'user-olga' });
    const held = await house.engine.getOperation(house.as(ada), operation.id);
    expect(held).toMatchObject({
      waitingFor: 'hold',
      version: 3,
      sentence: 'Approved. Submitting is on hold.',
    });
    await house.engine.hold.set(house.organisationId, false, 'user-olga', null);
    expect((await house.engine.getOperation(house.as(ada), operation.id))?.waitingFor).not.toBe('hold');
  });
});
