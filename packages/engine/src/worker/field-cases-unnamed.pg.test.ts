import { describe, expect, test } from 'vitest';
import type { Actor } from '@holdfast/operation';
import type { ProviderContract } from '@holdfast/providers';
import { pspN } from '../../test/scripted-provider.ts';
import { eventually } from '../../test/postgres-rig.ts';
import { scriptedHouse } from '../../test/scripted-house.ts';
import { mint, shortSettings, whileRunning } from '../../test/worker-house.ts';

/** With such a provider an absence would even be final, so nothing but its nameless records stands against it. */
const contract: Partial<ProviderContract> = {
  ...pspN(false).contract,
  ...{ finalAbsenceProves: 'nothing-happened', quietPeriodMs: 1, emptyReadsApartMs: 1 },
};
const scripted = await scriptedHouse({ ...pspN(false), contract });
const { house, provider, newOrder, figures, inLedger, evidenceOf, sentenceOf, wakeNow, accountBy } = scripted;

/** While the quiet period lasts, what is hidden is not absent. */
const quiet = { ...provider.adapter.contract, quietPeriodMs: 3_600_000 };

const operator: Actor = {
  ...{ id: 'operator-1', name: 'Olga', role: 'operator', assistant: false, via: 'session' },
};
const reasonsOf = async (id: string): Promise<readonly string[]> =>
  (await house.operation(id)).attention.map(({ reason }) => reason);

const lookedAt = async (...ids: readonly string[]): Promise<void> => {
  await whileRunning(house.worker(), async () => {
    for (const id of ids) {
      await eventually(async () => (await evidenceOf(id)).some(({ kind }) => kind === 'unattributed'));
      await eventually(async () => (await reasonsOf(id)).length > 0);
    }
  });
};

/** Two refunds of 20.00 on one payment, both sent, both unheard; the first was carried out. */
const pair = async () => {
  const { order, payment } = await newOrder();
  provider.script.push({ do: 'execute-then-lose' }, { do: 'lose' });
  provider.hidden = 1_000;
  const first = await house.approved(order, 2_000);
  const second = await house.approved(order, 2_000, { differentFrom: [first] });
  await house.worker({ width: 1 }).runOnce();
  // The second leaves only because the contract was wrong about the provider until now.
  const believed = accountBy({ contract: { ...quiet, echoesReference: true } });
  await whileRunning(house.worker({ providers: believed, settings: patient }), async () => {
    await eventually(async () => {
      await wakeNow(second);
      return provider.requests.length === 2;
    });
    await house.settled(second, 'outcome_unknown');
  });
  provider.hidden = 0;
  expect(inLedger(payment)).toHaveLength(1);
  return { order, payment, first, second };
};
const patient = { ...shortSettings, checkBackoffMs: [5_000] };

describe('F067: a provider whose records name nobody', () => {
  // Red when: an unresolved equal amount does not hold back the next (`isTwin`).
  test('gets no second equal amount of a payment while one is unresolved; another amount goes on', async () => {
    const { order } = await newOrder();
    provider.script.push({ do: 'execute-then-lose' });
    provider.hidden = 1_000;
    const first = await house.approved(order, 2_000);
    await house.worker().runOnce();
    expect((await house.operation(first)).state).toBe('outcome_unknown');
    const equal = await house.approved(order, 2_000, { differentFrom: [first] });
    const unequal = await house.approved(order, 1_500, { differentFrom: [first, equal] });
    await whileRunning(house.worker({ providers: accountBy({ contract: quiet }) }), async () => {
      await house.settled(unequal, 'confirmed');
      await eventually(async () => (await house.operation(equal)).waiting_for === 'payment');
      await wakeNow(equal);
      await eventually(async () => ((await house.operation(equal)).wake_at?.getTime() ?? 0) > Date.now());
    });
    expect(await house.operation(equal)).toMatchObject({ state: 'approved', attempt_count: 0 });
    expect(provider.requests).toHaveLength(2);
  });

  // Red when: a record is taken for ours by its amount, or an equal record does not stand against an absence.
  test('leaves two unknown equal amounts to a person, as a pair: one of two paid, neither confirmed nor failed', async () => {
    const { payment, first, second } = await pair();
    await lookedAt(first, second);
    for (const id of [first, second]) {
      const row = await house.operation(id);
      expect(row).toMatchObject({ state: 'outcome_unknown', provider_reference: null, attempt_count: 1 });
      expect(await reasonsOf(id)).toEqual(['conflicting-evidence']);
      expect(row.settlement).toMatchObject({ unattributed: { refunds: 1, operations: 2 } });
      expect(await sentenceOf(id)).toContain('1 of 2 paid');
    }
    expect(provider.requests).toHaveLength(2);
    expect(await figures(payment)).toMatchObject({ reserved: 4_000, refunded: 0 });
  });

  // Red when: a refund that another operation holds still counts as possibly this one's.
  test('and once a person has said which was paid, the other no longer counts that refund as its own', async () => {
    const { payment, first, second } = await pair();
    await lookedAt(first, second);
    const [refund] = inLedger(payment);
    const { version } = await house.operation(first);
    const [settled] = await house.apply(operator, {
      ...{ type: 'resolve', commandId: mint(), operationId: first, version, outcome: 'confirmed' },
      ...{ providerReference: refund?.reference ?? '', note: 'the customer named the item' },
    });
    expect(settled?.operation?.state).toBe('confirmed');
    const before = (await evidenceOf(second)).length;
    await wakeNow(second);
    await whileRunning(house.worker(), async () => {
      await eventually(async () => {
        const newest = (await evidenceOf(second)).slice(before);
        return newest.some(({ kind }) => kind.startsWith('absent'));
      });
    });
    expect((await house.operation(second)).provider_reference).toBeNull();
    expect(inLedger(payment)).toHaveLength(1);
    expect(provider.requests).toHaveLength(2);
  });

  // Red when: a single nameless record of the amount, made since the request, is no reason to stop concluding.
  test('and one unknown amount with one equal record is neither ours nor absent', async () => {
    const { order, payment } = await newOrder();
    provider.script.push({ do: 'execute-then-lose' });
    const id = await house.approved(order, 10_000);
    await house.worker().runOnce();
    await lookedAt(id);
    expect((await house.operation(id)).state).toBe('outcome_unknown');
    expect(await reasonsOf(id)).toEqual(['conflicting-evidence']);
    expect(await figures(payment)).toMatchObject({ reserved: 10_000 });
    expect(provider.requests).toHaveLength(1);
  });
});
