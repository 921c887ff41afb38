import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { numbersSchema, type Numbers } from '@holdfast/operation';
import { mintId, openHouse, proposalOf, type House } from './house-rig.ts';

let house: House;
let operator: string;
beforeAll(async () => {
  house = await openHouse({ HOLDFAST_CHECK_BACKOFF_MS: '600000' });
  operator = await house.key('operator');
});
afterAll(() => house.stop());

const numbers = async (query = ''): Promise<Numbers> => {
  const answer = await house.ask('GET', `/v1/numbers${query}`, { key: operator });
  expect(answer.status).toBe(200);
  return numbersSchema.parse(answer.body);
};
const metrics = async (): Promise<(line: string) => number> => {
  const { body } = await house.ask('GET', '/metrics', { key: operator });
  const lines = String(body['text']).split('\n');
  return (name) => {
    const found = lines.find((line) => line.startsWith(`${name} `));
    if (found === undefined) throw new Error(`there is no ${name}`);
    return Number(found.slice(name.length + 1));
  };
};

/** One refund that is proposed twice, approved twice, and whose answer is lost; and one that is confirmed. */
const aBusyDay = async (): Promise<void> => {
  const [agent, approver] = [await house.key('agent'), await house.key('approver')];
  for (const order of ['kept', 'lost']) {
    await house.order(order);
    if (order === 'lost') {
      for (const fault of [
        { on: 'refund.create', do: 'execute_then_drop', times: 1 },
        { on: 'refund.list', do: 'hide_from_list', ms: 600_000, times: 'always' },
      ]) {
        await fetch(`${house.fake.access.apiBase}/fake/faults`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(fault),
        });
      }
    }
    const id = mintId();
    const propose = { key: agent, body: proposalOf(order) };
    const { body } = await house.ask('PUT', `/v1/operations/${id}`, propose);
    await house.ask('PUT', `/v1/operations/${id}`, propose);
    const approve = { key: approver, body: { commandId: mintId(), fingerprint: body['fingerprint'] } };
    await house.ask('POST', `/v1/operations/${id}/approve`, approve);
    await house.ask('POST', `/v1/operations/${id}/approve`, approve);
    await house.opened.made.worker.runOnce();
  }
};

describe('the numbers over HTTP', () => {
  // Red when: a figure people see is counted in another way than the metric of the same name.
  it('agree with /metrics, figure by figure', async () => {
    await aBusyDay();
    const [shown, metric] = [await numbers(), await metrics()];
    expect(shown.states.map(({ state, count }) => [state, count])).toEqual(
      shown.states.map(({ state }) => [state, metric(`holdfast_operations{state="${state}"}`)]),
    );
    expect(shown.absorbed.map(({ at, total }) => [at, total])).toEqual(
      shown.absorbed.map(({ at }) => [at, metric(`holdfast_replays_absorbed_total{at="${at}"}`)]),
    );
    expect(shown.attempts.map(({ result, total }) => [result, total])).toEqual(
      shown.attempts.map(({ provider, result }) => [
        result,
        metric(`holdfast_attempts_total{provider="${provider}",result="${result}"}`),
      ]),
    );
    expect(shown.duplicates.total).toBe(metric('holdfast_duplicate_actions_total'));
    expect(shown.lateReversals.total).toBe(metric('holdfast_late_reversals_total'));
    expect([shown.unresolved.needsPerson, shown.unresolved.others]).toEqual([
      metric('holdfast_unresolved{needs_person="true"}'),
      metric('holdfast_unresolved{needs_person="false"}'),
    ]);
    // And none of it agrees because nothing happened.
    expect(shown.states.find(({ state }) => state === 'confirmed')?.count).toBe(1);
    expect(shown.states.find(({ state }) => state === 'outcome_unknown')?.count).toBe(1);
    expect(shown.absorbed.slice(0, 2).map(({ total, lately }) => [total, lately])).toEqual([
      [2, 2],
      [2, 2],
    ]);
    expect(shown.unresolved.byAge.reduce((sum, { count }) => sum + count, 0)).toBe(1);
    expect(shown.latencyMs.all.count).toBe(1);
  });

  it('say which query cannot be answered, and how it is to be asked', async () => {
    const wrong = [
      ['days=0', 'days'],
      ['days=93', 'days'],
      ['zone=%2B01:00', 'zone'],
      ['zone=Nowhere/Nothing', 'zone'],
    ] as const;
    for (const [query, field] of wrong) {
      const answer = await house.ask('GET', `/v1/numbers?${query}`, { key: operator });
      expect([query, answer.status]).toEqual([query, 422]);
      expect(JSON.stringify(answer.body['issues'])).toContain(field);
    }
    const figure = await house.ask('GET', '/v1/numbers/operations?figure=everything', { key: operator });
    expect(figure.status).toBe(422);
  });

  // Red when: the list behind a figure, or a figure, is read without naming the organisation.
  it('are those of one organisation, and so is every list behind them', async () => {
    const other = await house.opened.made.engine.createOrganisation('Elsewhere');
    const stranger = await house.person('operator', 'otto@elsewhere.test', other.id);
    const answer = await house.ask('GET', '/v1/numbers', { cookie: stranger.cookie });
    const shown = numbersSchema.parse(answer.body);
    expect(shown.states.every(({ count }) => count === 0)).toBe(true);
    expect(shown.absorbed.every(({ total }) => total === 0)).toBe(true);
    for (const figure of ['unknown', 'absorbed', 'attempts', 'answered', 'reconciled']) {
      const behind = await house.ask('GET', `/v1/numbers/operations?figure=${figure}`, {
        cookie: stranger.cookie,
      });
      expect([figure, behind.body['items']]).toEqual([figure, []]);
    }
    const ours = await house.ask('GET', '/v1/numbers/operations?figure=unknown', { key: operator });
    expect(ours.body['items']).toHaveLength(1);
  });
});
