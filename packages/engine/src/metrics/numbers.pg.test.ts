import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Numbers } from '@holdfast/operation';
import {
  ada,
  approval,
  ben,
  createEngineHouse,
  olga,
  operationIn,
  proposal,
  type EngineHouse,
} from '../../test/engine-house.ts';
import type { BehindFigure } from '../engine-interface.ts';
import { changeOperation } from '../postgres/change-operation.ts';
import { readNumbersAt } from '../postgres/numbers-reader.ts';

let house: EngineHouse;
beforeAll(async () => {
  house = await createEngineHouse();
});
afterAll(() => house.close());

const numbersOf = async (): Promise<Numbers> => {
  const found = await house.engine.numbers(house.organisationId, { days: 30, zone: 'UTC' });
  if (found === null) throw new Error('no figures');
  return found;
};
const behind = async (figure: BehindFigure): Promise<readonly string[]> => {
  const page = await house.engine.listOperations(house.as(olga), { behind: figure });
  return page.items.map(({ id }) => id).sort();
};

type Step = 'claim' | 'lose-sight' | 'evidence-confirmed' | 'evidence-reversed';
/** Proposes, approves and goes these steps; answers the operation's ID. */
const through = async (...steps: readonly Step[]): Promise<string> => {
  const operation = operationIn((await house.give(ada, proposal(await house.order(), 1_000)))[0]);
  await house.give(ben, approval(operation));
  let expectedVersion = 2;
  for (const type of steps) {
    await house.runtime.inOrganisation(house.organisationId, (tx) =>
      changeOperation(tx, {
        operationId: operation.id,
        expectedVersion,
        event: { type },
        by: { actorId: null },
        settledHow: 'look-up',
      }),
    );
    expectedVersion += 1;
  }
  return operation.id;
};
const backInTime = (id: string, seconds: number) =>
  house.database
    .admin`update operations set unknown_since = now() - make_interval(secs => ${seconds}) where id = ${id}`;

describe('the numbers', () => {
  it('of an organisation in which nothing has happened are zeros, with every day there', async () => {
    const fresh = await house.engine.createOrganisation('Fresh');
    const found = await house.engine.numbers(fresh.id, { days: 7, zone: 'Europe/Berlin' });
    expect(found).toMatchObject({
      zone: 'Europe/Berlin',
      duplicates: { total: 0, lately: 0, lastSweepAt: null },
      unresolved: { needsPerson: 0, others: 0 },
      reconciliationSeconds: { all: { count: 0, median: null, p95: null } },
    });
    expect(found?.reconciliationSeconds.days.map(({ count }) => count)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(found?.states.every(({ count, oldestSeconds }) => count === 0 && oldestSeconds === null)).toBe(
      true,
    );
    expect(await house.engine.numbers(fresh.id, { days: 7, zone: 'Nowhere/Nothing' })).toBeNull();
  });

  // Red when: a figure is counted without the operation it is of, or the list behind it reads another figure's rows.
  it('lead to the operations behind them: absorbed by place, settled, reversed, unknown by age', async () => {
    const command = proposal(await house.order(), 1_000);
    const twice = operationIn((await house.give(ada, command))[0]);
    await house.give(ada, command);
    const approve = approval(twice);
    await house.give(ben, approve);
    await house.give(ben, approve);
    const [young, old] = [await through('claim', 'lose-sight'), await through('claim', 'lose-sight')];
    await backInTime(old, 5_000);
    const settled = await through('claim', 'lose-sight', 'evidence-confirmed', 'evidence-reversed');
    const found = await numbersOf();
    expect(found.absorbed.map(({ at, total, lately }) => [at, total, lately])).toEqual([
      ['intake', 1, 1],
      ['command', 1, 1],
      ['webhook', 0, 0],
      ['provider', 0, 0],
    ]);
    expect(found.unresolved.byAge.map(({ from, count }) => [from, count])).toEqual([
      [0, 1],
      [60, 0],
      [900, 0],
      [3_600, 1],
      [21_600, 0],
      [86_400, 0],
    ]);
    expect(found.lateReversals).toEqual({ total: 1, lately: 1 });
    expect(found.reconciliationSeconds.all.count).toBe(1);
    for (const label of ['intake', 'command']) {
      expect(await behind({ figure: 'absorbed', label })).toEqual([twice.id]);
    }
    expect(await behind({ figure: 'absorbed', label: 'webhook' })).toEqual([]);
    expect(await behind({ figure: 'reversed' })).toEqual([settled]);
    const today = found.reconciliationSeconds.days.at(-1);
    expect(today?.count).toBe(1);
    expect(
      await behind({ figure: 'reconciled', from: today?.begins ?? '', until: today?.ends ?? '' }),
    ).toEqual([settled]);
    expect(await behind({ figure: 'reconciled', until: today?.begins ?? '' })).toEqual([]);
    expect(await behind({ figure: 'unknown' })).toEqual([young, old].sort());
    expect(await behind({ figure: 'unknown', oldestBelowSeconds: 60 })).toEqual([young]);
    expect(await behind({ figure: 'unknown', oldestFromSeconds: 3_600, oldestBelowSeconds: 21_600 })).toEqual(
      [old],
    );
  });

  // Red when: days are cut at midnight UTC, or a night in which clocks change is taken for one of 24 hours.
  it('F116: count by the days of the zone that is asked for, also over nights of 23 and 25 hours', async () => {
    const at = (now: string, zone: string) =>
      house.runtime.inOrganisation(house.organisationId, (tx) =>
        readNumbersAt({ ...tx, now: new Date(now) }, { days: 7, zone }),
      );
    await house.database.admin`insert into counted (org_id, name, label, amount, at) values
      (${house.organisationId}, 'reconciliation_seconds', 'look-up', 30, '2026-01-11T00:42:00Z')`;
    const daysWithOne = async (zone: string) =>
      (await at('2026-01-12T12:00:00Z', zone)).reconciliationSeconds.days
        .filter(({ count }) => count === 1)
        .map(({ day }) => day);
    expect(await daysWithOne('America/Vancouver')).toEqual(['2026-01-10']);
    expect(await daysWithOne('Europe/Berlin')).toEqual(['2026-01-11']);
    const hours = async (now: string, zone: string) =>
      (await at(now, zone)).latencyMs.days.map(
        ({ begins, ends }) => (Date.parse(ends) - Date.parse(begins)) / 3_600_000,
      );
    expect(await hours('2026-03-29T12:00:00Z', 'Europe/Berlin')).toEqual([24, 24, 24, 24, 24, 24, 23]);
    expect(await hours('2026-11-02T12:00:00Z', 'America/New_York')).toEqual([24, 24, 24, 24, 24, 25, 24]);
  });

  // Red when: a sweep that heard no answer counts as one that could have found a duplicate.
  it('name the end of the last sweep that was carried out whole, and none where none was', async () => {
    const other = await house.engine.createOrganisation('Swept');
    const lastSweep = async () =>
      (await house.engine.numbers(other.id, { days: 1, zone: 'UTC' }))?.duplicates.lastSweepAt;
    expect(await lastSweep()).toBeNull();
    const insert = (state: string, endedAt: string) => house.database.admin`
      insert into sweeps (org_id, id, provider, account_id, asked_by, asked_at, since, swept_at, state, started_at, ended_at)
      values (${other.id}, gen_random_uuid(), 'stripe', 'a', 'schedule', now(), now(), now(), ${state}, now(), ${endedAt})`;
    await insert('no-answer', '2026-03-03T00:00:00Z');
    expect(await lastSweep()).toBeNull();
    await insert('done', '2026-03-01T00:00:00Z');
    await insert('done', '2026-03-02T00:00:00Z');
    expect(await lastSweep()).toBe('2026-03-02T00:00:00.000Z');
  });

  // Red when: the middle or the 95th is taken over all days where one day is meant, or the other way round.
  it('say of each day what was in the middle and what 95 of 100 stayed within', async () => {
    const other = await house.engine.createOrganisation('Measured');
    await house.database.admin`insert into counted (org_id, name, label, amount, at)
      select ${other.id}, 'reconciliation_seconds', 'webhook', second, now() - interval '1 minute'
      from generate_series(1, 101) as second`;
    const found = await house.engine.numbers(other.id, { days: 2, zone: 'UTC' });
    expect(found?.reconciliationSeconds.all).toEqual({ count: 101, median: 51, p95: 96 });
    expect(found?.duplicates.total).toBe(0);
    expect((await numbersOf()).reconciliationSeconds.all.count).toBe(1);
  });
});
