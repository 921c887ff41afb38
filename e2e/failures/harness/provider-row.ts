import { until } from '../../harness/program.ts';
import type { LedgerRefund, ProviderRequest } from '../../harness/fake-provider.ts';
import {
  mintId,
  type Answer,
  type ProviderHouse,
  type SeenOperation,
  type SeenOrder,
  type Who,
} from './provider-house.ts';

/** The stage of one row: an order with a payment of its own, and what people and the provider do about it. */
export type Row = {
  readonly orderId: string;
  readonly payment: string;
  /** Arms a fault for this payment alone; gives back how to take it away. */
  readonly fault: (fault: Record<string, unknown>) => Promise<() => Promise<void>>;
  readonly propose: (minor: number, more?: Record<string, unknown>) => Promise<string>;
  readonly proposeAs: (id: string, minor: number, more?: Record<string, unknown>) => Promise<Answer>;
  readonly approve: (id: string) => Promise<Answer>;
  readonly approved: (minor: number, more?: Record<string, unknown>) => Promise<string>;
  readonly resolve: (who: Who, id: string, body: Record<string, unknown>) => Promise<Answer>;
  /** Waits until the operation is as it is asked to be, and gives it back. */
  readonly seen: (
    id: string,
    what: string,
    as: (operation: SeenOperation) => boolean,
  ) => Promise<SeenOperation>;
  readonly reach: (id: string, state: string) => Promise<SeenOperation>;
  readonly order: () => Promise<SeenOrder>;
  /** The provider's ledger of this payment. */
  readonly refunds: () => Promise<readonly LedgerRefund[]>;
  /** Every POST about this payment that the provider got, whatever became of it. */
  readonly requests: () => Promise<readonly ProviderRequest[]>;
  /** A refund as somebody makes it in the provider's dashboard. */
  readonly refundByHand: (minor: number, metadata?: Record<string, string>) => Promise<string>;
  /** The provider answers no question about this payment until the returned function is called. */
  readonly silence: () => Promise<() => Promise<void>>;
  /** Lists of this payment's refunds leave them out until the returned function is called. */
  readonly hideRefunds: () => Promise<() => Promise<void>>;
  /** No event of this payment is delivered until the returned function is called. */
  readonly holdEvents: () => Promise<() => Promise<void>>;
};

type Setting = {
  readonly minor?: number;
  /** The name under which the shop knows the payment, where it is not the provider's own. */
  readonly knownAs?: (payment: string) => Promise<string>;
  readonly placedDaysAgo?: number;
  readonly customer?: string;
};

const dayMs = 86_400_000;

const putOrder = (
  house: ProviderHouse,
  name: string,
  payment: string,
  { minor = 5_000, placedDaysAgo = 1, customer = `customer-${name}` }: Setting,
): Promise<Answer> =>
  house.ask('shop', 'PUT', `/v1/orders/order-${name}`, {
    customer: { id: customer, name: `Customer of ${name}` },
    payment: { provider: 'stripe', reference: payment, captured: { minor, currency: 'EUR' } },
    lines: [
      { sku: 'headphones', title: 'Headphones', quantity: 1, amount: { minor, currency: 'EUR' } },
      { sku: 'cable', title: 'Cable', quantity: 1, amount: { minor, currency: 'EUR' } },
    ],
    returns: [{ id: `return-${name}`, status: 'received', receivedAt: new Date().toISOString() }],
    placedAt: new Date(Date.now() - placedDaysAgo * dayMs).toISOString(),
  });

export const openRow = async (house: ProviderHouse, name: string, setting: Setting = {}): Promise<Row> => {
  const { provider } = house;
  const payment = `pi_${name.replaceAll('-', '_')}`;
  const orderId = `order-${name}`;
  await provider.addPayments([{ id: payment, amount: setting.minor ?? 5_000, currency: 'eur' }]);
  const put = await putOrder(house, name, (await setting.knownAs?.(payment)) ?? payment, setting);
  if (put.status >= 300) throw new Error(`order ${orderId}: ${put.status} ${JSON.stringify(put.body)}`);

  const fault: Row['fault'] = async (one) => {
    const id = await provider.fault({ paymentIntent: payment, ...one });
    return () => provider.removeFault(id);
  };
  const proposeAs: Row['proposeAs'] = (id, minor, more = {}) =>
    house.ask('agent', 'PUT', `/v1/operations/${id}`, {
      ...{ kind: 'refund', orderId, amount: { minor, currency: 'EUR' }, reason: 'returned' },
      ...more,
    });
  const propose: Row['propose'] = async (minor, more) => {
    const id = mintId();
    const answer = await proposeAs(id, minor, more);
    if (answer.status !== 201) throw new Error(`propose: ${answer.status} ${JSON.stringify(answer.body)}`);
    return id;
  };
  const approve: Row['approve'] = async (id) => {
    const { fingerprint } = await house.operation(id);
    const body = { commandId: mintId(), fingerprint };
    return house.ask('approver', 'POST', `/v1/operations/${id}/approve`, body);
  };
  const seen: Row['seen'] = (id, what, as) =>
    until(
      `operation ${id} of ${orderId} to be ${what}`,
      async () => {
        const operation = await house.operation(id);
        if (as(operation)) return operation;
        const { state, attention, sentence } = operation;
        throw new Error(`it is ${state} ${JSON.stringify(attention)}: ${sentence}`);
      },
      60_000,
    );

  return {
    orderId,
    payment,
    fault,
    propose,
    proposeAs,
    approve,
    approved: async (minor, more) => {
      const id = await propose(minor, more);
      const answer = await approve(id);
      if (answer.status !== 200) throw new Error(`approve: ${answer.status} ${JSON.stringify(answer.body)}`);
      return id;
    },
    resolve: async (who, id, body) => {
      const { version } = await house.operation(id);
      const whole = { commandId: mintId(), version, note: 'Looked it up in the dashboard.', ...body };
      return house.ask(who, 'POST', `/v1/operations/${id}/resolve`, whole);
    },
    seen,
    reach: (id, state) => seen(id, state, (operation) => operation.state === state),
    order: () => house.order(orderId),
    refunds: () => provider.refunds(payment),
    requests: async () => {
      const about = new RegExp(`=${payment}(&|$)`);
      return (await provider.requests()).filter(({ body }) => about.test(body));
    },
    refundByHand: async (minor, metadata = {}) => {
      const made = await provider.post('/fake/refunds', { payment_intent: payment, amount: minor, metadata });
      return (made as { id: string }).id;
    },
    silence: () => fault({ on: 'refund.list', do: 'error_before', status: 503, times: 'always' }),
    hideRefunds: () => fault({ on: 'refund.list', do: 'hide_from_list', ms: 20 * dayMs, times: 'always' }),
    holdEvents: () => fault({ on: 'webhook', do: 'hold', times: 'always' }),
  };
};

export const attentionOf = ({ attention }: SeenOperation): readonly string[] =>
  attention.map(({ reason }) => reason);

export const statesOf = ({ timeline }: SeenOperation): readonly (string | undefined)[] =>
  timeline.map(({ state }) => state);

export const resultsOf = ({ attempts }: SeenOperation): readonly (string | null)[] =>
  attempts.map(({ result }) => result);

/** Whether all these requests carry one key and the same bytes. */
export const sameBytes = (requests: readonly ProviderRequest[]): boolean =>
  new Set(requests.map(({ idempotency_key, body }) => `${idempotency_key} ${body}`)).size === 1;

/**
 * Lets this time pass for one operation, as the database sees it. Our own time is the database's, which no test can
 * move, so what is stored about the operation is moved into the past instead, and it is woken. `unknownSinceNow`: its
 * outcome counts as unknown from now on, so that no person is due and the age of the request alone decides.
 */
export const letPass = async (
  { sql }: ProviderHouse,
  id: string,
  minutes: number,
  { unknownSinceNow = false } = {},
): Promise<void> => {
  await sql.begin(async (tx) => {
    const by = tx`make_interval(mins => ${minutes})`;
    await tx`select from operations where id = ${id} for update`;
    // Attempts first: none may have started after the deadline, which they take over from their operation.
    await tx`
      update attempts set started_at = started_at - ${by}, ended_at = ended_at - ${by} where operation_id = ${id}`;
    await tx`
      update operations set
        created_at = created_at - ${by}, approved_at = approved_at - ${by}, first_sent_at = first_sent_at - ${by},
        replay_deadline = replay_deadline - ${by},
        unknown_since = case when ${unknownSinceNow} then now() else unknown_since - ${by} end,
        pending_since = pending_since - ${by}, settled_at = settled_at - ${by},
        deferred_until = deferred_until - ${by}, expires_at = expires_at - ${by}, wake_at = now()
      where id = ${id}`;
    await tx`update observations set observed_at = observed_at - ${by} where operation_id = ${id}`;
    await tx`update approvals set approved_at = approved_at - ${by} where operation_id = ${id}`;
  });
};

/** Has the worker look at it now: its next look-up may be days away. */
export const wake = async ({ sql }: ProviderHouse, id: string): Promise<void> => {
  await sql`update operations set wake_at = now() where id = ${id}`;
};
