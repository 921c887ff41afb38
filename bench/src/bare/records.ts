import { createHash } from 'node:crypto';
import { amountMinor, customerOf, orderOf, paymentOf, returnOf } from '../house/stock.ts';
import { uuidV7 } from '../uuid-v7.ts';

/** What the rows of one operation say: of the same shape and size as the product writes them. */
export type Records = {
  readonly operationId: string;
  readonly commandId: string;
  readonly orderId: string;
  readonly payment: string;
  readonly customerId: string;
  readonly returnId: string;
  readonly fingerprint: string;
  readonly digest: string;
  readonly refund: string;
  /** JSON texts. */
  readonly request: string;
  readonly finding: string;
  readonly settlement: string;
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const recordsOf = (order: number, organisationId: string): Records => {
  const operationId = uuidV7();
  const payment = paymentOf(order);
  const refund = `re_bench_${String(order)}`;
  const amount = { minor: amountMinor, currency: 'EUR' };
  const record = {
    ...{ reference: refund, status: 'succeeded', statusText: 'succeeded', amount, paymentReference: payment },
    ...{ chargeReference: null, failureReason: null, createdAtMs: Date.now(), organisationId, operationId },
  };
  return {
    operationId,
    commandId: uuidV7(),
    orderId: orderOf(order),
    payment,
    customerId: customerOf(order),
    returnId: returnOf(order),
    fingerprint: sha256(`${operationId} fingerprint`),
    digest: sha256(`${operationId} approval`),
    refund,
    request: JSON.stringify({
      ...{ method: 'POST', path: '/v1/refunds', contentType: 'application/x-www-form-urlencoded' },
      body:
        `payment_intent=${payment}&amount=${String(amountMinor)}&reason=requested_by_customer` +
        `&metadata[holdfast_organisation]=${organisationId}&metadata[holdfast_operation]=${operationId}`,
      ...{ idempotencyKey: `holdfast-${sha256(operationId)}`, apiVersion: '2026-10-28.endive' },
    }),
    finding: JSON.stringify({ kind: 'accepted', record }),
    settlement: JSON.stringify({ kind: 'confirmed', record, booked: amount, attention: [], settledBy: null }),
  };
};

export type AuditStep = {
  readonly sequence: number;
  readonly type: 'propose' | 'approve' | 'claim' | 'evidence-confirmed';
  readonly state: string;
  readonly data: string;
};

export const steps = {
  propose: (fingerprint: string): AuditStep => ({
    ...{ sequence: 1, type: 'propose', state: 'proposed' },
    data: JSON.stringify({ fingerprint, differentFrom: [] }),
  }),
  approve: (fingerprint: string): AuditStep => ({
    ...{ sequence: 2, type: 'approve', state: 'approved' },
    data: JSON.stringify({ fingerprint, person: 'keys of role approver', from: 'proposed' }),
  }),
  claim: (): AuditStep => ({
    ...{ sequence: 3, type: 'claim', state: 'submitting' },
    data: JSON.stringify({ attempt: 1, fence: 1, from: 'approved' }),
  }),
  record: (): AuditStep => ({
    ...{ sequence: 4, type: 'evidence-confirmed', state: 'confirmed' },
    data: JSON.stringify({ evidence: 1, from: 'submitting' }),
  }),
};

export const chainStart = '0'.repeat(64);

/** The hash that ties an entry to the one before it, as the product computes one for each entry. */
export const chainedTo = (previousHash: string, operationId: string, step: AuditStep): string =>
  sha256(`${previousHash}\n${operationId} ${String(step.sequence)} ${step.type} ${step.state} ${step.data}`);
