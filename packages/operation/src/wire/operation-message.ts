import * as z from 'zod/mini';
import { amountSchema, figureSchema } from '../amount.ts';
import { attentionReasons } from '../attention.ts';
import { refundReasons } from '../refund-reason.ts';
import { operationStates } from '../state.ts';
import { conversationSchema } from './conversation-message.ts';
import { proposedLineSchema } from './proposal-message.ts';

const time = z.iso.datetime();
const personSchema = z.object({ id: z.string(), name: z.string() });

/** Why an approved operation is not claimed yet. `null` when nothing holds it back. */
export const waitingForSchema = z.enum(['undo', 'hold', 'provider', 'provider-account', 'payment']);
export type WaitingFor = z.infer<typeof waitingForSchema>;

/** In what another operation of the payment is the same as this one. */
export const likenesses = ['amount', 'return', 'line', 'ticket'] as const;
export type Likeness = (typeof likenesses)[number];

/** Another refund of the same payment that is open, or that stands and looks the same. */
export const competingSchema = z.object({
  id: z.string(),
  amount: z.nullable(amountSchema),
  by: personSchema,
  state: z.enum(operationStates),
  at: time,
  alike: z.array(z.enum(likenesses)),
});
export type Competing = z.infer<typeof competingSchema>;

/** What the order showed when the refund was proposed. */
export const atProposalSchema = z.object({
  orderVersion: z.int().check(z.positive()),
  refundable: figureSchema,
  refundedElsewhere: figureSchema,
  disputed: z.boolean(),
});
export type AtProposal = z.infer<typeof atProposalSchema>;

/** The operation as everybody may see it. `version` grows by one with each change a person could see. */
export const operationSchema = z.object({
  id: z.string(),
  kind: z.literal('refund'),
  state: z.enum(operationStates),
  version: z.int().check(z.positive()),
  needsPerson: z.boolean(),
  attention: z.array(z.object({ reason: z.enum(attentionReasons), since: time })),
  waitingFor: z.nullable(waitingForSchema),
  /** `null` only for a cancellation remembered for an ID that was never proposed. */
  amount: z.nullable(amountSchema),
  orderId: z.nullable(z.string()),
  paymentReference: z.nullable(z.string()),
  ticketId: z.nullable(z.string()),
  customerId: z.nullable(z.string()),
  lines: z.array(proposedLineSchema),
  returnId: z.nullable(z.string()),
  reason: z.nullable(z.enum(refundReasons)),
  note: z.nullable(z.string()),
  replaces: z.nullable(z.string()),
  fingerprint: z.nullable(z.string()),
  proposedBy: z.extend(personSchema, { assistant: z.boolean() }),
  approvals: z.array(z.object({ by: personSchema, at: time, signed: z.boolean() })),
  provider: z.object({ name: z.string(), reference: z.nullable(z.string()), status: z.nullable(z.string()) }),
  attemptCount: z.int().check(z.nonnegative()),
  unknownSince: z.nullable(time),
  /** Since when the provider has it and has not finished: while it is pending. Since version 3. */
  pendingSince: z.optional(time),
  lastCheckAt: z.nullable(time),
  nextCheckAt: z.nullable(time),
  replayDeadline: z.nullable(time),
  /** When the undo window closes: until then an approval can be taken back before it may be claimed. */
  undoUntil: z.nullable(time),
  resolution: z.nullable(
    z.object({
      by: personSchema,
      outcome: z.enum(['confirmed', 'failed']),
      note: z.string(),
      waiting: z.boolean(),
      /** What the first operator found, so that a second can look at the same. Since version 3. */
      providerReference: z.optional(z.string()),
      /** When `by` said it. Since version 3. */
      at: z.optional(time),
      /** Who said the same after `by`, where two people settled it; each note is its own writer's. Since version 3. */
      second: z.optional(z.object({ by: personSchema, note: z.string(), at: time })),
    }),
  ),
  /** Who looks into it, and since when: while it is a case. Since version 3. */
  taken: z.optional(z.object({ by: personSchema, at: time })),
  /** When people were told that nobody had taken it; once a case. Since version 3. */
  escalatedAt: z.optional(time),
  /**
   * What a refund that did not last leaves to do: the money is with us again, and the customer is to be paid another
   * way. Open until it is closed with a note, or a proposal that `replaces` it stands. Since version 3.
   */
  followUp: z.optional(
    z.object({
      kind: z.literal('pay-another-way'),
      since: time,
      taken: z.optional(z.object({ by: personSchema, at: time })),
      closed: z.optional(
        z.object({
          at: time,
          by: z.nullable(personSchema),
          how: z.enum(['note', 'proposal']),
          note: z.nullable(z.string()),
          operationId: z.nullable(z.string()),
        }),
      ),
    }),
  ),
  /** Absent where it was proposed before this was kept. */
  atProposal: z.optional(atProposalSchema),
  /** While it waits for a decision or for its submission: what else is on its payment, as it was when this was told. */
  competing: z.optional(z.array(competingSchema)),
  /** What the policy asks for before it is submitted: while it is proposed or approved. Counts people. */
  policy: z.optional(
    z.object({
      version: z.int(),
      approvalsNeeded: z.int(),
      approvalsGiven: z.int(),
      signatureRequired: z.boolean(),
      sentence: z.string(),
    }),
  ),
  sentence: z.string(),
  tellTheCustomer: z.string(),
  createdAt: time,
  updatedAt: time,
});
export type Operation = z.infer<typeof operationSchema>;

export const timelineEntrySchema = z.object({
  at: time,
  type: z.string(),
  by: z.nullable(personSchema),
  sentence: z.string(),
  state: z.optional(z.enum(operationStates)),
  version: z.optional(z.int()),
});
export type TimelineEntry = z.infer<typeof timelineEntrySchema>;

export const attemptSchema = z.object({
  number: z.int().check(z.positive()),
  startedAt: time,
  endedAt: z.nullable(time),
  result: z.nullable(z.string()),
  status: z.nullable(z.int()),
  requestId: z.nullable(z.string()),
  replayed: z.boolean(),
});

export const observationSchema = z.object({
  at: time,
  source: z.string(),
  kind: z.string(),
  summary: z.string(),
  reference: z.nullable(z.string()),
});

/** What an operator wrote beside a case. */
export const caseCommentSchema = z.object({ at: time, by: personSchema, text: z.string() });
export type CaseComment = z.infer<typeof caseCommentSchema>;

/** A webhook about it as it was received, without what names the customer or their card. */
export const providerEventSchema = z.object({
  id: z.string(),
  type: z.string(),
  createdAt: time,
  receivedAt: time,
  deliveries: z.int(),
  applied: z.nullable(z.string()),
  raw: z.string(),
});
export type ProviderEvent = z.infer<typeof providerEventSchema>;

/** One operation with its history: everything from `attempts` on only for operators. */
export const operationDetailSchema = z.extend(operationSchema, {
  timeline: z.array(timelineEntrySchema),
  /** What an assistant was asked before it was proposed: for the people of the organisation. Since version 3. */
  conversation: z.optional(conversationSchema),
  attempts: z.optional(z.array(attemptSchema)),
  observations: z.optional(z.array(observationSchema)),
  comments: z.optional(z.array(caseCommentSchema)),
  events: z.optional(z.array(providerEventSchema)),
});
export type OperationDetail = z.infer<typeof operationDetailSchema>;
