import { expect, sideBySide, test } from './harness/side-by-side.ts';
import { letMirrorRead } from './harness/provider-mirror.ts';
import { mintId, startProviderHouse } from './harness/provider-house.ts';
import { attentionOf, openRow, statesOf } from './harness/provider-row.ts';
import { until } from '../harness/program.ts';

/** What people do at the provider and here while something is under way. The mirror reads on, as it does in the field. */
const row = sideBySide();
test.beforeAll(({ providerHouse }) => letMirrorRead(providerHouse));

// Red when: the last check of a resubmission does not look for refunds made elsewhere.
row(
  'never sent, unknown, then refunded by hand: the last check sees it, nothing is sent, a person decides',
  async (house) => {
    const order = await openRow(house, 'by-hand-meanwhile');
    // The request is lost before anything is done, and until then no look-up is answered.
    await order.fault({ on: 'refund.create', do: 'drip_body', execute: false, ms: 1_000 });
    const id = await order.approved(2_000);
    await until('the request to have left', async () => (await order.requests())[0]);
    const speak = await order.silence();
    const reference = await order.refundByHand(2_000);
    await order.reach(id, 'outcome_unknown');
    await speak();
    const seen = await order.seen(id, 'before a person', ({ needsPerson }) => needsPerson);
    expect(seen.state).toBe('outcome_unknown');
    expect(attentionOf(seen)).toEqual(['conflicting-evidence']);
    expect(await order.requests()).toHaveLength(1);
    expect((await order.refunds()).map((refund) => refund.id)).toEqual([reference]);
    expect(await order.order()).toMatchObject({
      refundedElsewhere: 2_000,
      reserved: 2_000,
      refundable: 1_000,
    });
    // Two operators take it for what it is: somebody else's refund, ours did not happen.
    const word = { outcome: 'failed', note: 'The shop refunded it by hand.' };
    expect((await order.resolve('operator', id, word)).status).toBe(202);
    expect((await order.resolve('secondOperator', id, word)).status).toBe(200);
    expect((await house.operation(id)).state).toBe('failed');
    expect(await order.order()).toMatchObject({ refundedElsewhere: 2_000, reserved: 0, refundable: 3_000 });
  },
);

const stages = ['proposed', 'approved', 'confirmed'] as const;
for (const stage of stages) {
  // Red when: any of these fields is left out of `compareProposals`, or a mismatch is not recorded.
  row(
    `amount, order, line or currency changed under a known ID while ${stage}: 422 field by field, nothing changed`,
    async (house) => {
      const order = await openRow(house, `changed-${stage}`);
      const other = await openRow(house, `changed-${stage}-other`);
      // Nothing is known of the payment, so what is approved waits.
      if (stage === 'approved') await order.silence();
      const lines = [{ sku: 'headphones', quantity: 1 }];
      const id = await order.propose(2_000, { lines });
      if (stage !== 'proposed') await order.approve(id);
      if (stage === 'confirmed') await order.reach(id, 'confirmed');
      if (stage === 'approved')
        await order.seen(id, 'waiting', ({ waitingFor }) => waitingFor === 'provider');
      const before = await house.operation(id);
      const amount = { minor: 2_000, currency: 'EUR' };
      const changes: readonly (readonly [string, unknown, unknown])[] = [
        ['amount', { minor: 2_001, currency: 'EUR' }, amount],
        ['amount', { minor: 2_000, currency: 'USD' }, amount],
        ['orderId', other.orderId, order.orderId],
        ['lines', [{ sku: 'cable', quantity: 1 }], lines],
      ];
      for (const [field, received, recorded] of changes) {
        const answer = await order.proposeAs(id, 2_000, { lines, [field]: received });
        expect(answer.status).toBe(422);
        expect(answer.body['type']).toMatch(/\/operation-mismatch$/);
        expect(answer.body).toMatchObject({
          ...{ final: true, recorded: { [field]: recorded }, received: { [field]: received } },
        });
        expect(Object.keys(answer.body['recorded'] as object)).toEqual([field]);
      }
      const after = await house.operation(id);
      expect(after.timeline.filter(({ type }) => type === 'mismatch-refused')).toHaveLength(changes.length);
      expect(after).toMatchObject({ state: stage, version: before.version, fingerprint: before.fingerprint });
      const sent = stage === 'confirmed' ? [2_000] : [];
      expect((await order.refunds()).map((refund) => refund.amount)).toEqual(sent);
      expect(await other.refunds()).toEqual([]);
      // The same words again are answered as they were.
      expect(await order.proposeAs(id, 2_000, { lines })).toMatchObject({
        status: 200,
        body: { state: stage },
      });
    },
  );
}

// Red when: `judgeOrder` lets the payment of an order in use be replaced.
row(
  "an order's payment re-pointed after approval is refused; the refund stays on the payment approved",
  async (house) => {
    const order = await openRow(house, 're-pointed');
    const other = await openRow(house, 're-pointed-other');
    const speak = await order.silence();
    const id = await order.approved(2_000);
    const { body } = await house.ask('operator', 'GET', `/v1/orders/${order.orderId}`);
    const captured = { minor: 5_000, currency: 'EUR' };
    const moved = await house.ask('shop', 'PUT', `/v1/orders/${order.orderId}`, {
      customer: body['customer'],
      lines: body['lines'],
      returns: body['returns'],
      placedAt: body['placedAt'],
      payment: { provider: 'stripe', reference: 'pi_somewhere_else', captured },
    });
    expect(moved.status).toBe(409);
    await speak();
    const done = await order.reach(id, 'confirmed');
    expect(done.paymentReference).toBe(order.payment);
    expect(await order.refunds()).toHaveLength(1);
    expect(await other.refunds()).toEqual([]);
  },
);

// Red when: `judgeLastCheck` leaves out the dispute, or a send-back keeps approvals or the reservation.
row(
  'a dispute between approval and claim: back to proposed with the reason, approvals void, reservation free',
  async (house) => {
    const order = await openRow(house, 'disputed');
    const speak = await order.silence();
    const id = await order.approved(2_000);
    expect(await order.order()).toMatchObject({ reserved: 2_000 });
    await house.provider.post('/fake/disputes', { payment_intent: order.payment });
    await speak();
    const back = await order.reach(id, 'proposed');
    expect(back.sentence).toMatch(/^Back for approval: .*disput/i);
    expect(back.approvals).toEqual([]);
    expect(await order.order()).toMatchObject({ reserved: 0, disputed: true });
    expect(await order.requests()).toEqual([]);
  },
);

// Red when: `unknownElsewhere` is left out of the last check.
row(
  'a foreign refund between approval and claim: back to proposed with the reason, nothing sent',
  async (house) => {
    const order = await openRow(house, 'foreign');
    const speak = await order.silence();
    const id = await order.approved(2_000);
    await order.refundByHand(500);
    await speak();
    const back = await order.reach(id, 'proposed');
    expect(back.sentence).toMatch(/^Back for approval: .*refunded/i);
    expect(back.approvals).toEqual([]);
    expect(await order.order()).toMatchObject({ reserved: 0, refundedElsewhere: 500, refundable: 4_500 });
    expect(await order.requests()).toEqual([]);
    // Approved again in the knowledge of it, it goes.
    expect((await order.approve(id)).status).toBe(200);
    await order.reach(id, 'confirmed');
    expect(await order.order()).toMatchObject({ refunded: 2_000, refundedElsewhere: 500, reserved: 0 });
  },
);

// Red when: the last check judges by the policy of the approval.
row(
  'a tighter policy between approval and claim: back to proposed with the reason, nothing sent',
  async (house) => {
    const order = await openRow(house, 'tighter-policy', { placedDaysAgo: 170 });
    const speak = await order.silence();
    const id = await order.approved(2_000);
    // An admin's change of policy; no other order of these rows is older than a day or two.
    await house.sql`
    update organisations set policy = jsonb_set(policy, '{refundWindowMs}', to_jsonb(90::bigint * 86400000))`;
    await speak();
    const back = await order.reach(id, 'proposed');
    expect(back.sentence).toMatch(/^Back for approval: /);
    expect(back.approvals).toEqual([]);
    expect(await order.order()).toMatchObject({ reserved: 0, refundable: 5_000 });
    expect(await order.requests()).toEqual([]);
    await house.sql`
    update organisations set policy = jsonb_set(policy, '{refundWindowMs}', to_jsonb(180::bigint * 86400000))`;
  },
);

// Red when: a fact from outside is refused by what is reserved, or what is approved is sent beside it.
row(
  'a dashboard refund larger than what is left beside a reservation: recorded at once, nothing more is sent',
  async (house) => {
    const order = await openRow(house, 'overdrawn');
    const speak = await order.silence();
    const id = await order.approved(2_000);
    await order.refundByHand(4_500);
    // Recorded while the reservation may still stand: the figures say what is, and nothing is refundable.
    const told = await until('the refund to be recorded', async () => {
      const figures = await order.order();
      return figures.refundedElsewhere === 4_500 ? figures : undefined;
    });
    expect(told.refundable).toBeLessThanOrEqual(500);
    await speak();
    const back = await order.reach(id, 'proposed');
    expect(back.approvals).toEqual([]);
    expect(await order.requests()).toEqual([]);
    expect(await order.order()).toMatchObject({ refundedElsewhere: 4_500, reserved: 0, refundable: 500 });
    expect(await order.approve(id)).toMatchObject({ status: 422, body: { refundable: { minor: 500 } } });
  },
);

// Red when: an unknown outcome loses its reservation, or is sent again, over a refund that overdraws the payment.
row('the same beside an unknown outcome: refundable 0, nothing is sent again, a person', async (house) => {
  const order = await openRow(house, 'overdrawn-unknown');
  await order.fault({ on: 'refund.create', do: 'drip_body', execute: false, ms: 1_000 });
  const id = await order.approved(2_000);
  await until('the request to have left', async () => (await order.requests())[0]);
  const speak = await order.silence();
  await order.refundByHand(4_500);
  await until('the refund to be recorded', async () =>
    (await order.order()).refundedElsewhere === 4_500 ? true : undefined,
  );
  expect(await order.order()).toMatchObject({ reserved: 2_000, refundable: 0 });
  await speak();
  const seen = await order.seen(id, 'before a person', ({ needsPerson }) => needsPerson);
  expect(seen.state).toBe('outcome_unknown');
  expect(await order.requests()).toHaveLength(1);
  expect(await order.order()).toMatchObject({ reserved: 2_000, refundable: 0 });
});

// Red when: a cancellation of an unknown ID is not remembered, or its late proposal opens it.
row(
  'an item dropped on the device after an unheard send: its late copy is answered cancelled and does nothing',
  async (house) => {
    const order = await openRow(house, 'dropped-item');
    const id = mintId();
    const dropped = await house.ask('agent', 'POST', `/v1/operations/${id}/cancel`, {
      ...{ commandId: mintId(), reason: 'Dropped on the device.' },
    });
    expect(dropped).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    expect(await order.proposeAs(id, 2_000)).toMatchObject({ status: 200, body: { id, state: 'cancelled' } });
    const approval = { commandId: mintId(), fingerprint: '0'.repeat(64) };
    expect((await house.ask('approver', 'POST', `/v1/operations/${id}/approve`, approval)).status).toBe(409);
    expect(statesOf(await house.operation(id))).not.toContain('proposed');
    expect(await order.requests()).toEqual([]);
    expect(await order.order()).toMatchObject({ reserved: 0, refunded: 0, refundable: 5_000 });
  },
);

// Red when: a refund under a remembered cancellation counts nowhere (`correctPayment` leaves it out).
test('a remembered cancellation whose refund was carried out all the same: contradicted, its money gone from the payment', async () => {
  // The provider turns out to be ahead of us, which stops everything in its house, so it has one of its own.
  const house = await startProviderHouse();
  try {
    const order = await openRow(house, 'cancelled-carried-out');
    const id = mintId();
    const [organisation] = await house.sql<{ org_id: string }[]>`select org_id from orders limit 1`;
    await house.ask('agent', 'POST', `/v1/operations/${id}/cancel`, {
      ...{ commandId: mintId(), reason: 'Dropped on the device.' },
    });
    await order.refundByHand(2_000, {
      holdfast_organisation: String(organisation?.org_id),
      holdfast_operation: id,
    });
    const seen = await order.seen(id, 'before a person', ({ needsPerson }) => needsPerson);
    expect(attentionOf(seen)).toContain('contradicted');
    await until('its money to be gone', async () =>
      (await order.order()).refundable === 3_000 ? true : undefined,
    );
    expect(await order.order()).toMatchObject({ refundedElsewhere: 2_000, refunded: 0 });
  } finally {
    await house.stop();
  }
});

// Red when: `applyResolve` compares the provider's name of the payment with ours.
row(
  'a reference named by an operator settles also where the payment is known by its charge',
  async (house) => {
    const charges = async (payment: string): Promise<string> => {
      const ledger = await fetch(`http://127.0.0.1:${house.provider.port}/fake/ledger`);
      const { payment_intents } = (await ledger.json()) as {
        payment_intents: { id: string; charge: string }[];
      };
      return payment_intents.find(({ id }) => id === payment)?.charge ?? '';
    };
    const order = await openRow(house, 'by-charge', { knownAs: charges });
    await order.fault({ on: 'refund.create', do: 'drop_before', times: 'always' });
    const id = await order.approved(2_000);
    expect((await house.operation(id)).paymentReference).toMatch(/^ch_/);
    await order.reach(id, 'outcome_unknown');
    const reference = await order.refundByHand(2_000);
    await order.seen(id, 'before a person', ({ needsPerson }) => needsPerson);
    const answer = await order.resolve('operator', id, {
      outcome: 'confirmed',
      providerReference: reference,
    });
    expect(answer).toMatchObject({ status: 200, body: { state: 'confirmed', provider: { reference } } });
    expect(await order.order()).toMatchObject({ refunded: 2_000, refundedElsewhere: 0, reserved: 0 });
  },
);

// Red when: the last check counts as elsewhere what another operation holds (`heldHere` is left out).
row(
  'a refund by hand that people took for one operation does not send the next one of its payment back',
  async (house) => {
    const order = await openRow(house, 'held-by-another');
    await order.fault({ on: 'refund.create', do: 'drop_before', times: 1 });
    const mend = await order.fault({ on: 'refund.create', do: 'drop_before', times: 'always' });
    const first = await order.approved(2_000, { lines: [{ sku: 'headphones', quantity: 1 }] });
    await order.reach(first, 'outcome_unknown');
    const reference = await order.refundByHand(2_000);
    await order.seen(first, 'before a person', ({ needsPerson }) => needsPerson);
    const settled = await order.resolve('operator', first, {
      outcome: 'confirmed',
      providerReference: reference,
    });
    expect(settled.status).toBe(200);
    await mend();
    const second = await order.approved(1_000, { lines: [{ sku: 'cable', quantity: 1 }] });
    const done = await order.reach(second, 'confirmed');
    expect(statesOf(done).slice(statesOf(done).indexOf('approved'))).not.toContain('proposed');
    expect(await order.order()).toMatchObject({ refunded: 3_000, refundedElsewhere: 0, reserved: 0 });
  },
);
