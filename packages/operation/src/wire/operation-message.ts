import { z } from 'zod';
import { amountSchema } from '../amount.ts';
import { attentionReasons } from '../attention.ts';
import { refundReasons } from '../refund-reason.ts';
import { operationStates } from '../state.ts';
import { proposedLineSchema } from './proposal-message.ts';

const time = z.iso.datetime();
const personSchema = z.object({ id: z.string(), name: z.string() });

/** Why an approved operation is not claimed yet. `null` when nothing holds it back. */
export const waitingForSchema = z.enum(['undo', 'hold', 'provider', 'provider-account', 'payment']);
export type WaitingFor = z.infer<typeof waitingForSchema>;

/** The operation as everybody may see it. `version` grows by one with each change a person could see. */
export const operationSchema = z.object({
  id: z.string(),
  kind: z.literal('refund'),
  state: z.enum(operationStates),
  version: z.int().positive(),
  needsPerson: z.boolean(),
  attention: z.array(z.object({ reason: z.enum(attentionReasons), since: time })),
  waitingFor: waitingForSchema.nullable(),
  /** `null` only for a cancellation remembered for an ID that was never proposed. */
  amount: amountSchema.nullable(),
  orderId: z.string().nullable(),
  paymentReference: z.string().nullable(),
  ticketId: z.string().nullable(),
  customerId: z.string().nullable(),
  lines: z.array(proposedLineSchema),
  returnId: z.string().nullable(),
  reason: z.enum(refundReasons).nullable(),
  note: z.string().nullable(),
  replaces: z.string().nullable(),
  fingerprint: z.string().nullable(),
  proposedBy: personSchema.extend({ assistant: z.boolean() }),
  approvals: z.array(z.object({ by: personSchema, at: time, signed: z.boolean() })),
  provider: z.object({ name: z.string(), reference: z.string().nullable(), status: z.string().nullable() }),
  attemptCount: z.int().nonnegative(),
  unknownSince: time.nullable(),
  lastCheckAt: time.nullable(),
  nextCheckAt: time.nullable(),
  replayDeadline: time.nullable(),
  /** When the undo window closes: until then an approval can be taken back before it may be claimed. */
  undoUntil: time.nullable(),
  resolution: z
    .object({
      by: personSchema,
      outcome: z.enum(['confirmed', 'failed']),
      note: z.string(),
      waiting: z.boolean(),
    })
    .nullable(),
  sentence: z.string(),
  tellTheCustomer: z.string(),
  createdAt: time,
  updatedAt: time,
});
export type Operation = z.infer<typeof operationSchema>;

export const timelineEntrySchema = z.object({
  at: time,
  type: z.string(),
  by: personSchema.nullable(),
  sentence: z.string(),
  state: z.enum(operationStates).optional(),
  version: z.int().optional(),
});
export type TimelineEntry = z.infer<typeof timelineEntrySchema>;

export const attemptSchema = z.object({
  number: z.int().positive(),
  startedAt: time,
  endedAt: time.nullable(),
  result: z.string().nullable(),
  status: z.int().nullable(),
  requestId: z.string().nullable(),
  replayed: z.boolean(),
});

export const observationSchema = z.object({
  at: time,
  source: z.string(),
  kind: z.string(),
  summary: z.string(),
  reference: z.string().nullable(),
});

/** One operation with its history: `attempts` and `observations` only for operators. */
export const operationDetailSchema = operationSchema.extend({
  timeline: z.array(timelineEntrySchema),
  attempts: z.array(attemptSchema).optional(),
  observations: z.array(observationSchema).optional(),
});
export type OperationDetail = z.infer<typeof operationDetailSchema>;
