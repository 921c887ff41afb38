import type { RefundRequest } from '@holdfast/providers';

export const organisationId = '0194e1a0-0000-7000-8000-00000000000a';
export const operationId = '0194e1a0-0000-7000-8000-000000000001';

export const refundRequest = (changes: Partial<RefundRequest> = {}): RefundRequest => ({
  organisationId,
  operationId,
  idempotencyKey: `holdfast-${operationId}`,
  paymentReference: 'pi_A',
  amount: { minor: 1250, currency: 'GBP' },
  reason: 'returned',
  ...changes,
});

/** A refund as Stripe shows it: ours, unless `changes` say otherwise. */
export const stripeRefund = (changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  id: 're_1',
  object: 'refund',
  amount: 1250,
  charge: 'ch_A',
  created: 1_795_953_600,
  currency: 'gbp',
  metadata: { holdfast_organisation: organisationId, holdfast_operation: operationId },
  payment_intent: 'pi_A',
  reason: 'requested_by_customer',
  status: 'succeeded',
  ...changes,
});

export const stripeDispute = (changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  id: 'dp_1',
  object: 'dispute',
  amount: 1250,
  charge: 'ch_A',
  created: 1_795_953_600,
  currency: 'gbp',
  payment_intent: 'pi_A',
  status: 'needs_response',
  ...changes,
});

export const stripePaymentIntent = {
  id: 'pi_A',
  object: 'payment_intent',
  amount_received: 10_000,
  currency: 'gbp',
};

export const list = (data: readonly unknown[], hasMore = false): Record<string, unknown> => ({
  object: 'list',
  data,
  has_more: hasMore,
});
