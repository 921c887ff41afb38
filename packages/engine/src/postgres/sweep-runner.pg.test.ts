import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountOver, createWorkerHouse, shortSettings, type WorkerHouse } from '../../test/worker-house.ts';
import { createScriptedProvider } from '../../test/scripted-provider.ts';
import type { KeptFinding } from '../sweep/sweep-run.ts';
import { createSweeper, type SweepOptions } from './sweep-runner.ts';
import { readFindings } from './sweep-finding-store.ts';

const provider = createScriptedProvider();
let house: WorkerHouse;
beforeAll(async () => {
  house = await createWorkerHouse(provider.adapter);
});
afterAll(() => house.close());

const dayMs = 24 * 60 * 60_000;

const sweeper = (more: Partial<SweepOptions> = {}) =>
  createSweeper({
    connection: house.database.connection,
    inOrganisation: house.inOrganisation,
    settings: shortSettings,
    // A lost page is asked for again at once.
    clock: { nowMs: () => Date.now(), pause: () => Promise.resolve() },
    ...more,
  });
const findingsOf = async (id: string): Promise<readonly KeptFinding[]> =>
  (await house.inOrganisation(house.organisationId, (tx) => readFindings(tx, id, null, 100))).items;

const sweep = async () => {
  const account = accountOver(provider.adapter, house.organisationId);
  const ran = await sweeper().run(account, { askedBy: 'command-line', sinceAgoMs: dayMs });
  if (ran.kind !== 'ran') throw new Error(ran.kind);
  const findings = await findingsOf(ran.id);
  return { id: ran.id, result: ran.result, findings, kinds: findings.map(({ kind }) => kind).sort() };
};

let orders = 0;
/** A refund carried out by the worker: confirmed, and in the provider's ledger. */
const confirmed = async (minor: number): Promise<{ id: string; payment: string }> => {
  orders += 1;
  const [orderId, payment] = [`order-${String(orders)}`, `pi_${String(orders)}`];
  await house.order(orderId, payment, 10_000);
  const id = await house.approved(orderId, minor);
  const worker = house.worker();
  await worker.runOnce();
  await worker.runOnce();
  expect((await house.operation(id)).state).toBe('confirmed');
  return { id, payment };
};

const counted = async (name: string): Promise<number> => {
  const [row] = await house.database.admin<{ total: string }[]>`
    select coalesce(sum(amount), 0)::text as total from counted where name = ${name}`;
  return Number(row?.total);
};

describe('a sweep', () => {
  test('of ledgers that agree finds nothing, over as many pages as there are, and says when it looked', async () => {
    // Red when: paging ends with the first page (`after = page.next` left out), or the swept time is not kept.
    for (const minor of [100, 200, 300]) await confirmed(minor);
    const { result, findings } = await sweep();
    expect(result).toMatchObject({ kind: 'swept', refundsRead: 3, operationsRead: 3 });
    expect(findings).toEqual([]);
    const marked = await house.database.admin`select 1 from mirror_refunds where swept_at is not null`;
    expect(marked).toHaveLength(3);
    const [position] = await house.database.admin`select swept_at, swept_since from mirror_positions`;
    expect(position?.['swept_at']).toBeInstanceOf(Date);
    expect(position?.['swept_since']).toBeInstanceOf(Date);
  });

  test('finds each kind of planted row, once, and what it finds counts', async () => {
    // Red when: a kind is left out of `judgeRefund`, absence is not asked about, or nothing is taken in as evidence.
    const twice = await confirmed(400);
    const gone = await confirmed(500);
    const failed = await confirmed(600);
    const first = provider.ledger.find((one) => one.operationId === twice.id);
    if (first === undefined) throw new Error('no refund');
    provider.ledger.push({ ...first, reference: 're_twice' });
    provider.ledger.push({ ...first, reference: 're_hand', organisationId: null, operationId: null });
    const stranger = '01890000-0000-7000-8000-0000000000ff';
    provider.ledger.push({ ...first, reference: 're_stranger', operationId: stranger });
    const goneAt = provider.ledger.findIndex((one) => one.operationId === gone.id);
    provider.ledger.splice(goneAt, 1);
    const failedAt = provider.ledger.findIndex((one) => one.operationId === failed.id);
    const sunk = provider.ledger[failedAt];
    if (sunk === undefined) throw new Error('no refund');
    provider.ledger[failedAt] = { ...sunk, status: 'failed', statusText: 'failed' };

    const { findings, kinds } = await sweep();
    expect(kinds).toEqual(['duplicate', 'failed-at-provider', 'foreign', 'not-at-provider', 'unaccounted']);
    const of = (kind: string) => findings.find((finding) => finding.kind === kind);
    expect(of('duplicate')).toMatchObject({ operationId: twice.id, reference: 're_twice' });
    expect(of('not-at-provider')).toMatchObject({ operationId: gone.id });
    expect(of('failed-at-provider')).toMatchObject({ operationId: failed.id });
    expect(of('unaccounted')).toMatchObject({ operationId: stranger });
    expect(await counted('duplicate_actions')).toBe(1);
    expect(await counted('foreign_actions')).toBe(1);
    expect((await house.operation(failed.id)).state).toBe('reversed');
    const reasons = async (id: string) => (await house.operation(id)).attention.map(({ reason }) => reason);
    expect(await reasons(twice.id)).toContain('duplicate-action');
    expect(await reasons(gone.id)).toEqual(['conflicting-evidence']);

    // Again: what was taken in is no news, what still does not agree is told again, and nothing is counted twice.
    expect((await sweep()).kinds).toEqual(['duplicate', 'foreign', 'not-at-provider', 'unaccounted']);
    expect(await counted('duplicate_actions')).toBe(1);
    expect(await counted('foreign_actions')).toBe(1);
  });

  test('of a provider that does not answer says so, and never that all is well', async () => {
    // Red when: a page without an answer ends the paging as an empty one would.
    provider.silent = true;
    const { result, findings } = await sweep();
    provider.silent = false;
    expect(result).toMatchObject({ kind: 'no-answer' });
    expect(findings).toEqual([]);
  });

  test('of an account that is not the organisation’s own reads nothing', async () => {
    // Red when: `isHome` is not asked.
    const other = accountOver(provider.adapter, house.organisationId, { accountId: 'acct_other' });
    const ran = await sweeper().run(other, { askedBy: 'command-line', sinceAgoMs: dayMs });
    expect(ran).toMatchObject({ kind: 'ran', result: { kind: 'not-home' } });
  });
});
