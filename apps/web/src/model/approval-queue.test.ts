import { expect, test } from 'vitest';
import type { SeenOperation } from '@holdfast/outbox';
import type { Operation } from '@holdfast/operation';
import { approvalQueue, waitingFor } from './approval-queue.ts';

const person = (id: string) => ({ id, name: id });
const operation = (id: string, changes: Partial<Operation> = {}): Operation =>
  ({
    id,
    state: 'proposed',
    version: 1,
    attention: [],
    amount: { minor: 1_000, currency: 'EUR' },
    paymentReference: `pi_${id}`,
    proposedBy: { ...person('ada'), assistant: false },
    approvals: [],
    createdAt: `2026-01-01T00:00:0${id}.000Z`,
    ...changes,
  }) as Operation;
const seen = (synced: Operation): SeenOperation =>
  ({ operationId: synced.id, shownState: synced.state, synced, items: [] }) as unknown as SeenOperation;
const queueOf = (...operations: readonly Operation[]) =>
  approvalQueue({ open: operations.map(seen), me: 'ben', isDecidedHere: () => false });
const flags = (...operations: readonly Operation[]) =>
  queueOf(...operations).waiting.map((row) => [row.seen.operationId, row.flags]);

// Red when: the newest comes first, or what waits for no decision stands among what does.
test('who has waited longest comes first, and what is approved stands apart', () => {
  const queue = queueOf(operation('3'), operation('1'), operation('2', { state: 'approved' }));
  expect(queue.waiting.map((row) => row.seen.operationId)).toEqual(['1', '3']);
  expect(queue.stoppable.map((row) => row.seen.operationId)).toEqual(['2']);
});

// Red when: the flag looks at amounts of other payments, or a near-duplicate is not told from another refund.
test('the same amount on one payment is flagged apart from another refund on it', () => {
  const paymentReference = 'pi_one';
  expect(
    flags(
      operation('1', { paymentReference }),
      operation('2', { paymentReference }),
      operation('3', { paymentReference, amount: { minor: 2_000, currency: 'EUR' } }),
      operation('4'),
    ),
  ).toEqual([
    ['1', ['same-amount']],
    ['2', ['same-amount']],
    ['3', ['another-open']],
    ['4', []],
  ]);
});

// Red when: what the server told of a payment is not believed where this device knows only the one refund.
test('what only the server knows of is flagged too', () => {
  const competing: Operation['competing'] = [
    {
      id: '9',
      amount: null,
      by: person('cy'),
      state: 'confirmed',
      at: '2026-01-01T00:00:00.000Z',
      alike: [],
    },
  ];
  expect(flags(operation('1', { competing }))).toEqual([['1', ['another-open']]]);
});

// Red when: an assistant's proposal, one above a limit or one that nobody can approve looks like any other.
test('assistants, limits, and what nobody can approve are flagged', () => {
  const policy = {
    version: 2,
    approvalsNeeded: 2,
    approvalsGiven: 1,
    signatureRequired: true,
    sentence: 'Two approvals above EUR 500.00: one more needed.',
  };
  const since = '2026-01-01T00:00:00.000Z';
  const [row] = queueOf(
    operation('1', {
      policy,
      proposedBy: { ...person('bot'), assistant: true },
      attention: [{ reason: 'nobody-can-approve', since }],
      approvals: [{ by: person('cy'), at: since, signed: false }],
    }),
  ).waiting;
  expect(row?.flags).toEqual([
    'nobody-can-approve',
    'assistant',
    'more-approvals',
    'signature',
    'one-approval-given',
  ]);
});

// Red when: one's own proposals, or what one has approved or decided already, are counted as waiting for one.
test('only what waits for this person is counted', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const open = [
    operation('1'),
    operation('2', { proposedBy: { ...person('ben'), assistant: false } }),
    operation('3', { approvals: [{ by: person('ben'), at, signed: false }] }),
    operation('4', { state: 'approved' }),
    operation('5'),
  ].map(seen);
  expect(waitingFor(open, { me: 'ben', isDecidedHere: ({ operationId }) => operationId === '5' })).toBe(1);
});
