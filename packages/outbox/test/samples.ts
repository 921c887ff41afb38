/** Plausible things for tests. Every ID is given, so that a test says what it is about. */
import { mintOperationId } from '@holdfast/operation';
import type { Operation, Order, Proposal, Ticket } from '@holdfast/operation';
import type { OrderSeen } from '../src/outbox-interface.ts';

export const eur = (minor: number) => ({ minor, currency: 'EUR' });

export const sampleOrder = (id = 'order-1', version = 1): Order => ({
  id,
  version,
  customer: { id: 'customer-1', name: 'Jürgen Müller' },
  payment: { provider: 'stripe', reference: `pi_${id}`, captured: eur(10_000) },
  lines: [{ sku: 'headphones', title: 'Headphones', quantity: 1, amount: eur(4_999) }],
  returns: [{ id: 'return-1', status: 'received', receivedAt: '2026-11-20T10:00:00.000Z' }],
  placedAt: '2026-11-01T10:00:00.000Z',
  captured: eur(10_000),
  refunded: eur(0),
  refundedElsewhere: eur(0),
  reserved: eur(0),
  refundable: eur(10_000),
  disputed: false,
  operationIds: [],
  updatedAt: '2026-11-20T10:00:00.000Z',
});

export const sampleOrderSeen = (id = 'order-1'): OrderSeen => {
  const { version, lines, refundable } = sampleOrder(id);
  return { id, version, lines, refundable };
};

export const sampleProposal = (orderId = 'order-1', minor = 4_999): Proposal => ({
  kind: 'refund',
  orderId,
  amount: eur(minor),
  reason: 'returned',
  returnId: 'return-1',
});

export const sampleTicket = (id = 'ticket-1', version = 1): Ticket => ({
  id,
  version,
  subject: 'Headphones came back',
  customerId: 'customer-1',
  orderId: 'order-1',
  status: 'open',
  messages: [{ at: '2026-11-20T10:00:00.000Z', from: 'Jürgen', text: 'They hiss.' }],
  updatedAt: '2026-11-20T10:00:00.000Z',
  outcomes: [],
});

export const sampleOperation = (id: string, change: Partial<Operation> = {}): Operation => ({
  id,
  kind: 'refund',
  state: 'proposed',
  version: 1,
  needsPerson: false,
  attention: [],
  waitingFor: null,
  amount: eur(4_999),
  orderId: 'order-1',
  paymentReference: 'pi_order-1',
  ticketId: null,
  customerId: 'customer-1',
  lines: [],
  returnId: 'return-1',
  reason: 'returned',
  note: null,
  replaces: null,
  fingerprint: 'a'.repeat(64),
  proposedBy: { id: 'ann', name: 'Ann', assistant: false },
  approvals: [],
  provider: { name: 'stripe', reference: null, status: null },
  attemptCount: 0,
  unknownSince: null,
  lastCheckAt: null,
  nextCheckAt: null,
  replayDeadline: null,
  undoUntil: null,
  resolution: null,
  sentence: 'Waiting for approval.',
  tellTheCustomer: 'We are on it.',
  createdAt: '2026-11-29T10:00:00.000Z',
  updatedAt: '2026-11-29T10:00:00.000Z',
  ...change,
});

export const sampleProblem = (slug: string, status: number, final = true) => ({
  type: `https://holdfast.invalid/problems/${slug}`,
  title: slug,
  status,
  detail: `It is ${slug}.`,
  final,
});

/** IDs in a row: the same in each run, and each later than the one before. */
export const createMint = (from = 1): (() => string) => {
  let count = from;
  return () => {
    count += 1;
    const random = new Uint8Array(10);
    new DataView(random.buffer).setUint32(6, count);
    return mintOperationId(1_764_000_000_000 + count, random);
  };
};
