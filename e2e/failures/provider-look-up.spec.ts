import { expect, sideBySide, test } from './harness/side-by-side.ts';
import { stillMirror } from './harness/provider-mirror.ts';
import {
  attentionOf,
  letPass,
  openRow,
  resultsOf,
  sameBytes,
  statesOf,
  wake,
} from './harness/provider-row.ts';
import { until } from '../harness/program.ts';

/** What look-ups of an unknown outcome prove, and what they do not. */
const row = sideBySide();
test.beforeAll(({ providerHouse }) => stillMirror(providerHouse));

const dayMs = 24 * 60 * 60_000;

// Red when: `mayBeResubmitted` forgets `savedFailureReplayed`, or "failed" is concluded from age.
row(
  'a saved 500 is recognised as replayed: never a new key, never failed by age, a person',
  async (house) => {
    const order = await openRow(house, 'saved-500');
    await order.fault({ on: 'refund.create', do: 'error_before', status: 500, saved: true });
    const id = await order.approved(2_000);
    const replayed = await order.seen(id, 'answered twice', ({ attempts }) => attempts[1]?.replayed === true);
    expect(resultsOf(replayed)).toEqual(['unknown', 'unknown']);
    const empty = ({ observations }: typeof replayed): number =>
      observations.filter(({ kind }) => kind === 'absent-yet').length;
    // More empty look-ups than a resubmission waits for.
    await order.seen(id, 'looked up in vain', (operation) => empty(operation) >= empty(replayed) + 4);
    expect(await order.requests()).toHaveLength(2);
    await letPass(house, id, 20);
    const seen = await order.seen(id, 'before a person', ({ needsPerson }) => needsPerson);
    expect(attentionOf(seen)).toEqual(['outcome-unresolved']);
    // Three days later, after many more look-ups.
    await letPass(house, id, 3 * 24 * 60);
    const looked = seen.observations.length;
    const later = await order.seen(
      id,
      'looked up again',
      ({ observations }) => observations.length >= looked + 3,
    );
    expect(later.state).toBe('outcome_unknown');
    expect(later.observations.map(({ kind }) => kind)).not.toContain('absent-final');
    const requests = await order.requests();
    expect(requests).toHaveLength(2);
    expect(sameBytes(requests)).toBe(true);
    expect(await order.refunds()).toEqual([]);
    expect(await order.order()).toMatchObject({ reserved: 2_000, refunded: 0 });
  },
);

// Red when: a replayed 500 ends the look-ups, or sends a third request.
row('a saved 500 behind which the refund was carried out: the look-up decides', async (house) => {
  const order = await openRow(house, 'saved-500-carried-out');
  const release = await order.holdEvents();
  const show = await order.hideRefunds();
  await order.fault({ on: 'refund.create', do: 'execute_then_500' });
  const id = await order.approved(2_000);
  const replayed = await order.seen(id, 'answered twice', ({ attempts }) => attempts[1]?.replayed === true);
  expect(statesOf(replayed)).not.toContain('failed');
  await show();
  const done = await order.reach(id, 'confirmed');
  expect(done.observations.map(({ source, kind }) => `${source} ${kind}`)).toContain('look-up found');
  expect(await order.requests()).toHaveLength(2);
  expect(await order.refunds()).toHaveLength(1);
  expect(await order.order()).toMatchObject({ reserved: 0, refunded: 2_000 });
  await release();
});

// Red when: "already refunded" after an ambiguous attempt counts as a decline (`declinesThatMayBeOurs`).
row('"already refunded" after our own lost answer: the look-up finds ours and confirms it', async (house) => {
  const order = await openRow(house, 'already-ours');
  const release = await order.holdEvents();
  const show = await order.hideRefunds();
  await order.fault({ on: 'refund.create', do: 'execute_then_drop' });
  await order.fault({
    on: 'refund.create',
    do: 'error_before',
    status: 400,
    code: 'charge_already_refunded',
    times: 'always',
  });
  const id = await order.approved(5_000);
  const refused = await order.seen(id, 'refused', (operation) => resultsOf(operation)[1] === 'rejected');
  expect(refused.state).not.toBe('failed');
  expect(await order.order()).toMatchObject({ reserved: 5_000 });
  await show();
  const done = await order.reach(id, 'confirmed');
  expect(statesOf(done)).not.toContain('failed');
  expect(done.provider.reference).toBe((await order.refunds())[0]?.id);
  expect(await order.refunds()).toHaveLength(1);
  expect(await order.order()).toMatchObject({ refunded: 5_000, refundedElsewhere: 0, reserved: 0 });
  await release();
});

// Red when: `judgeLookUp` never says exhausted-elsewhere, or the failure does not name whose refund it was.
row(
  "F059: somebody else's full refund a minute before: failed with that reference, neither ours nor silent",
  async (house) => {
    const order = await openRow(house, 'already-theirs');
    // The last check does not see it yet: it was made a moment before.
    const release = await order.holdEvents();
    const show = await order.hideRefunds();
    const reference = await order.refundByHand(5_000);
    const id = await order.approved(2_000);
    const refused = await order.seen(id, 'refused', (operation) => resultsOf(operation)[0] === 'rejected');
    expect(refused.state).not.toBe('failed');
    await show();
    const done = await order.reach(id, 'failed');
    expect(resultsOf(done)).toEqual(['rejected']);
    expect(done.sentence).toContain(reference);
    expect(done.provider.reference).toBeNull();
    expect((await order.refunds()).map(({ id: one }) => one)).toEqual([reference]);
    expect(await order.order()).toMatchObject({
      ...{ refunded: 0, refundedElsewhere: 5_000, reserved: 0, refundable: 0 },
    });
    await release();
  },
);

// Red when: `exhausted` compares with anything less than the whole capture.
row(
  "others' refunds that leave something of the capture explain no refusal: still unknown",
  async (house) => {
    const order = await openRow(house, 'partly-theirs');
    const release = await order.holdEvents();
    const show = await order.hideRefunds();
    await order.refundByHand(3_000);
    const id = await order.approved(4_000);
    await order.seen(id, 'refused', (operation) => resultsOf(operation)[0] === 'rejected');
    await show();
    await until("the others' refund to be known", async () =>
      (await order.order()).refundedElsewhere === 3_000 ? true : undefined,
    );
    await letPass(house, id, 20);
    const seen = await order.seen(id, 'before a person', ({ needsPerson }) => needsPerson);
    expect(seen.state).toBe('outcome_unknown');
    expect(statesOf(seen)).not.toContain('failed');
    expect(await order.order()).toMatchObject({ refundedElsewhere: 3_000, reserved: 4_000, refundable: 0 });
    await release();
  },
);

/** Nothing is done, and that shows only at our deadline: until then a row can make the look-ups end as it wants. */
const unheardRequest = { on: 'refund.create', do: 'drip_body', execute: false, ms: 1_000 };

const silences: readonly [string, Record<string, unknown>][] = [
  ['timeout', { do: 'execute_then_hang' }],
  ['503', { do: 'error_before', status: 503 }],
  ['401', { do: 'error_before', status: 401 }],
];
for (const [name, fault] of silences) {
  // Red when: a question without an answer counts as an empty one.
  row(
    `F066: a look-up that ends in ${name} concludes nothing, and nothing is sent on its strength`,
    async (house) => {
      const order = await openRow(house, `look-up-${name}`);
      await order.fault(unheardRequest);
      const id = await order.approved(2_000);
      await until('the request to have left', async () => (await order.requests())[0]);
      const mend = await order.fault({ on: 'refund.list', ...fault, times: 'always' });
      const noAnswers = ({ observations }: Awaited<ReturnType<typeof house.operation>>): number =>
        observations.filter(({ kind }) => kind === 'no-answer').length;
      const before = await order.seen(id, 'asked in vain', (operation) => noAnswers(operation) >= 2);
      expect(before.state).toBe('outcome_unknown');
      if (name === '401') expect(attentionOf(before)).toContain('provider-refuses-us');
      else expect(attentionOf(before)).toEqual([]);
      expect(await order.requests()).toHaveLength(1);
      expect(await order.order()).toMatchObject({ reserved: 2_000, refunded: 0 });
      await mend();
      const done = await order.reach(id, 'confirmed');
      expect(attentionOf(done)).toEqual([]);
      expect(sameBytes(await order.requests())).toBe(true);
      expect(await order.refunds()).toHaveLength(1);
    },
  );
}

// Red when: `adjustmentBy` leaves out `paymentNotFound`, or a 404 counts as an empty answer.
row(
  'F066: a payment that the provider does not know any more is a conflict for a person, not an absence',
  async (house) => {
    const order = await openRow(house, 'look-up-404');
    await order.fault(unheardRequest);
    const id = await order.approved(2_000);
    await until('the request to have left', async () => (await order.requests())[0]);
    await order.fault({
      ...{ on: 'refund.list', do: 'error_before', status: 404, code: 'resource_missing', times: 'always' },
    });
    const seen = await order.seen(id, 'before a person', ({ needsPerson }) => needsPerson);
    expect(seen.state).toBe('outcome_unknown');
    expect(attentionOf(seen)).toEqual(['conflicting-evidence']);
    const kinds = seen.observations.map(({ kind }) => kind);
    expect(kinds).not.toContain('absent-yet');
    expect(await order.requests()).toHaveLength(1);
    expect(await order.order()).toMatchObject({ reserved: 2_000 });
  },
);

// Red when: `decideKnown` takes "not found" for an absence.
row(
  'F066: a refund whose reference the provider gave and no longer knows needs a person and stays as it is',
  async (house) => {
    const order = await openRow(house, 'vanished');
    await order.fault({ on: 'refund.create', do: 'pending_then', ms: 20 * dayMs });
    const id = await order.approved(2_000);
    await order.reach(id, 'pending');
    await order.fault({
      ...{
        on: 'refund.retrieve',
        do: 'error_before',
        status: 404,
        code: 'resource_missing',
        times: 'always',
      },
    });
    await wake(house, id);
    const seen = await order.seen(id, 'before a person', ({ needsPerson }) => needsPerson);
    expect(seen.state).toBe('pending');
    expect(attentionOf(seen)).toEqual(['conflicting-evidence']);
    expect(await order.order()).toMatchObject({ reserved: 2_000, refunded: 0 });
    expect(await order.requests()).toHaveLength(1);
  },
);

// Red when: `judgeAbsence` counts reads from before the quiet period, or a final absence fails the operation.
row(
  'F066: empty look-ups are final only after the quiet period, and even then a person decides',
  async (house) => {
    const order = await openRow(house, 'look-up-empty');
    await order.fault({ on: 'refund.create', do: 'drop_before', times: 'always' });
    const id = await order.approved(2_000);
    // A person is told: from now on it is only looked up.
    await order.reach(id, 'outcome_unknown');
    await house.sql`update operations set unknown_since = now() - interval '16 minutes' where id = ${id}`;
    const kindsOf = async (): Promise<readonly string[]> =>
      (await house.operation(id)).observations.map(({ kind }) => kind);
    const empty = (kinds: readonly string[]): number => kinds.filter((kind) => kind === 'absent-yet').length;
    await order.seen(id, 'before a person', ({ needsPerson }) => needsPerson);
    const [sent, before] = [(await order.requests()).length, empty(await kindsOf())];
    await until('four more empty look-ups', async () => {
      await wake(house, id);
      return empty(await kindsOf()) >= before + 4 ? true : undefined;
    });
    expect(await kindsOf()).not.toContain('absent-final');
    // The quiet period passes, and then reads that are a minute apart.
    await letPass(house, id, 6);
    for (const _read of [1, 2]) {
      const read = empty(await kindsOf());
      await until('an empty look-up', async () => (empty(await kindsOf()) > read ? true : undefined));
      await letPass(house, id, 2);
    }
    const seen = await order.seen(id, 'finally absent', ({ observations }) =>
      observations.some(({ kind }) => kind === 'absent-final'),
    );
    expect(seen.state).toBe('outcome_unknown');
    expect(statesOf(seen)).not.toContain('failed');
    expect(await order.requests()).toHaveLength(sent);
    expect(await order.order()).toMatchObject({ reserved: 2_000 });
  },
);

// Red when: `askForList` stops at the first page.
row('F066: our refund on the third page is found: all pages are read', async (house) => {
  const order = await openRow(house, 'third-page', { minor: 100_000 });
  // Held for good: hundreds of events would keep the rows after this one waiting.
  await order.holdEvents();
  await order.fault({ on: 'refund.create', do: 'drip_body', ms: 1_000 });
  const id = await order.approved(2_000);
  const [ours] = await until('the refund at the provider', async () => {
    const refunds = await order.refunds();
    return refunds.length > 0 ? refunds : undefined;
  });
  const speak = await order.silence();
  for (let batch = 0; batch < 21; batch += 1)
    await Promise.all(Array.from({ length: 10 }, () => order.refundByHand(1)));
  await speak();
  const done = await order.reach(id, 'confirmed');
  expect(done.provider.reference).toBe(ours?.id);
  expect(done.observations.map(({ source, kind }) => `${source} ${kind}`)).toContain('look-up found');
  expect(await order.requests()).toHaveLength(1);
  expect(await order.order()).toMatchObject({ refunded: 2_000, refundedElsewhere: 210, reserved: 0 });
});

// Red when: a look-up asks by anything but the payment.
row(
  'F117: a customer known twice at the provider: look-ups go by payment alone, and find the refund',
  async (house) => {
    const customer = 'customer-known-twice';
    const first = await openRow(house, 'known-twice-1', { customer });
    const second = await openRow(house, 'known-twice-2', { customer });
    const release = await second.holdEvents();
    await second.fault({ on: 'refund.create', do: 'execute_then_drop' });
    const id = await second.approved(2_000);
    const done = await second.reach(id, 'confirmed');
    expect(done.provider.reference).toBe((await second.refunds())[0]?.id);
    expect(await first.refunds()).toEqual([]);
    const lines = house.wire.requestLines();
    expect(lines.some((line) => line.startsWith(`GET /v1/refunds?payment_intent=${second.payment}&`))).toBe(
      true,
    );
    expect(lines.filter((line) => line.includes(first.payment))).toEqual([]);
    expect(lines.filter((line) => /customer|email|search|query=/i.test(line))).toEqual([]);
    await release();
  },
);
