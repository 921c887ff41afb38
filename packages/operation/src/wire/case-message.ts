import * as z from 'zod/mini';
import { amountSchema, figureSchema } from '../amount.ts';
import { outsideId, someText } from './plain-text.ts';
import { operationIdSchema } from './proposal-message.ts';

const time = z.iso.datetime();
const personSchema = z.object({ id: z.string(), name: z.string() });
const envelope = {
  commandId: operationIdSchema,
  /** Whom it is taken from: who is said to have it must be who has it. Left out, nobody (`take`) or the caller. */
  from: z.optional(outsideId),
};

/** What an operator does with a case besides settling it. */
export const caseActSchema = z.discriminatedUnion('act', [
  z.object({ act: z.literal('take'), ...envelope }),
  z.object({ act: z.literal('hand-on'), to: outsideId, note: z.optional(someText(2_000)), ...envelope }),
  z.object({ act: z.literal('put-back'), ...envelope }),
  z.object({ act: z.literal('comment'), text: someText(2_000), commandId: operationIdSchema }),
]);
export type CaseAct = z.infer<typeof caseActSchema>;

/** One refund of the payment as the provider shows it now, with whose it is taken for here. */
export const providerRefundSchema = z.object({
  reference: z.string(),
  status: z.enum(['pending', 'succeeded', 'failed']),
  statusText: z.string(),
  amount: amountSchema,
  createdAt: time,
  failureReason: z.nullable(z.string()),
  whose: z.enum(['this-operation', 'another-operation', 'nobody-here', 'another-organisation']),
  /** The operation of ours that the provider's record names. `null`: it names none. */
  operationId: z.nullable(z.string()),
  /**
   * The operation that holds its reference here though the provider's record does not name it, and who said that it is
   * that one's: nobody where its own request was answered with it, or two people. Since version 3.
   */
  boundTo: z.optional(z.object({ operationId: z.string(), by: z.array(personSchema) })),
  dashboard: z.nullable(z.string()),
});
export type ProviderRefund = z.infer<typeof providerRefundSchema>;

/** The provider's side of an operation's payment, fetched when it was asked for; or why it could not be. */
export const providerLedgerSchema = z.object({
  askedAt: time,
  provider: z.string(),
  paymentReference: z.nullable(z.string()),
  dashboard: z.nullable(z.string()),
  /** `null`: the provider did not answer, and nothing follows from that. */
  answer: z.nullable(
    z.object({
      captured: z.nullable(figureSchema),
      refunds: z.array(providerRefundSchema),
      disputes: z.array(
        z.object({ reference: z.string(), amount: amountSchema, open: z.boolean(), statusText: z.string() }),
      ),
    }),
  ),
  /** Why there is no answer, as a sentence. */
  because: z.nullable(z.string()),
});
export type ProviderLedger = z.infer<typeof providerLedgerSchema>;
