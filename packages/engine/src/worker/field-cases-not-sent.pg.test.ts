import { describe, expect, test } from 'vitest';
import type { ProviderDirectory } from '../engine-interface.ts';
import { eventually } from '../../test/postgres-rig.ts';
import { scriptedHouse } from '../../test/scripted-house.ts';
import { shortSettings, whileRunning } from '../../test/worker-house.ts';

const scripted = await scriptedHouse();
const { house, provider, newOrder, figures, inLedger, sentenceOf, wakeNow, accountBy } = scripted;

const reasonsOf = async (id: string): Promise<readonly string[]> =>
  (await house.operation(id)).attention.map(({ reason }) => reason);
const nobody: ProviderDirectory = { accountOf: () => undefined, accounts: () => [] };
const somebodyElse = (): ProviderDirectory => {
  const [account] = accountBy({}).accounts();
  if (account === undefined) throw new Error('no account');
  const other = { ...account, accountId: 'acct_of_a_copy' };
  return { accountOf: () => other, accounts: () => [other] };
};
const keyRefused = (): ProviderDirectory => {
  const refusal = { kind: 'no-answer', because: 'answer 401', ourKeyRefused: true } as const;
  const refused = () => Promise.resolve(refusal);
  return accountBy({ askAboutPayment: refused, askAboutRefund: refused, listSince: refused });
};

describe('F122: what a check stops before the provider is called', () => {
  // Red when: a missing account loses sight of the operation, or it waits without saying for what.
  test.each([
    ['no account', nobody, 'provider-account'],
    ['an account that is not its own', somebodyElse(), 'provider-account'],
    ['a key that the provider refuses', keyRefused(), 'provider'],
  ])('with %s it is approved, says so, and is sent once it may be', async (_what, providers, waitingFor) => {
    const { order, payment } = await newOrder();
    const id = await house.approved(order, 1_000);
    await house.worker({ providers }).runOnce();
    const row = await house.operation(id);
    expect(row).toMatchObject({
      ...{ state: 'approved', waiting_for: waitingFor, attempt_count: 0, first_sent_at: null },
    });
    expect(row.wake_at).not.toBeNull();
    expect(provider.requests).toHaveLength(0);
    expect(inLedger(payment)).toHaveLength(0);
    const unsent = await sentenceOf(id);
    expect(unsent).toMatch(/^Approved\. .*will submit it/);

    // The same agent's words for what was sent and is waited for are others.
    await house.database.admin`update mirror_positions set next_listing_at = now()`;
    await wakeNow(id);
    provider.script.push({ do: 'pending' });
    await house.worker().runOnce();
    expect((await house.operation(id)).state).toBe('pending');
    expect(await sentenceOf(id)).toMatch(/has accepted it and is processing it/);
    expect(provider.requests).toHaveLength(1);
    expect(await figures(payment)).toMatchObject({ reserved: 1_000, refunded: 0 });
  });

  // Red when: an unknown outcome is only put off while there is no account to ask by.
  test('and what was sent before its account went away stands before a person, not before nobody', async () => {
    const { order } = await newOrder();
    provider.script.push({ do: 'lose' });
    const id = await house.approved(order, 1_000);
    await house.worker().runOnce();
    const impatient = { ...shortSettings, needsPersonAfterMs: 200 };
    await whileRunning(house.worker({ providers: nobody, settings: impatient }), async () => {
      await eventually(async () => {
        await wakeNow(id);
        return (await reasonsOf(id)).includes('outcome-unresolved');
      });
    });
    expect((await house.operation(id)).state).toBe('outcome_unknown');
    expect(await sentenceOf(id)).not.toMatch(/Approved/);
    expect(provider.requests).toHaveLength(1);
  });

  // Red when: an unknown outcome is only put off for as long as the provider takes no questions.
  test('and what was sent before the provider wanted to be left alone for an hour stands before a person in time', async () => {
    const { order } = await newOrder();
    provider.script.push({ do: 'lose' });
    const id = await house.approved(order, 1_000);
    await house.worker().runOnce();
    const alone = { kind: 'no-answer', because: 'answer 429', ourKeyRefused: false } as const;
    const later = () => Promise.resolve({ ...alone, tooMany: { retryAfterMs: 3_600_000 } });
    const providers = accountBy({ askAboutPayment: later, askAboutRefund: later, listSince: later });
    const impatient = { ...shortSettings, needsPersonAfterMs: 200 };
    await whileRunning(house.worker({ providers, settings: impatient }), async () => {
      await eventually(async () => {
        await wakeNow(id);
        return (await reasonsOf(id)).includes('outcome-unresolved');
      });
    });
    expect((await house.operation(id)).state).toBe('outcome_unknown');
    expect(provider.requests).toHaveLength(1);
  });
});

// Red when: no answer is taken for an absence, a refused key is told to nobody, or a vanished refund is asked for in silence.
test('F066: a refund with a known reference: no answer concludes nothing, a refused key and a vanished refund are told', async () => {
  const { order, payment } = await newOrder();
  provider.script.push({ do: 'pending' });
  const id = await house.approved(order, 6_400);
  await house.worker().runOnce();
  const [refund] = inLedger(payment);
  const looked = async (answer: 'timeout' | 'answer 503' | 'answer 401' | 'not-found' | 'real') => {
    const met = {
      askAboutRefund: () =>
        Promise.resolve(
          answer === 'not-found'
            ? ({ kind: 'not-found' } as const)
            : ({ kind: 'no-answer', because: answer, ourKeyRefused: answer === 'answer 401' } as const),
        ),
    };
    await wakeNow(id);
    await house.worker({ providers: accountBy(answer === 'real' ? {} : met) }).runOnce();
    const row = await house.operation(id);
    expect(row).toMatchObject({ state: 'pending', provider_reference: refund?.reference });
    expect(row.wake_at).not.toBeNull();
    expect(await figures(payment)).toMatchObject({ reserved: 6_400, refunded: 0 });
    return reasonsOf(id);
  };
  expect(await looked('timeout')).toEqual([]);
  expect(await looked('answer 503')).toEqual([]);
  expect(await looked('answer 401')).toEqual(['provider-refuses-us']);
  expect(await looked('real')).toEqual([]);
  expect(await looked('not-found')).toEqual(['conflicting-evidence']);
  expect(provider.requests).toHaveLength(1);
});
