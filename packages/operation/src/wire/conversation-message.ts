import * as z from 'zod/mini';
import { amountSchema } from '../amount.ts';
import { refundReasons } from '../refund-reason.ts';
import { outsideId, plainText } from './plain-text.ts';

const time = z.iso.datetime();
const proposedLine = z.object({ sku: outsideId, quantity: z.int().check(z.positive()) });

/** How much of a conversation is kept. Characters are of its JSON: what is longer says that it was cut. */
export const conversationLimits = {
  turns: 12,
  characters: 12_000,
  text: 2_000,
  name: 300,
  items: 40,
} as const;
const { turns, characters, text, name, items } = conversationLimits;

/** Something that was read, by its kind and ID. */
const conversationReading = z.object({
  what: z.enum(['order', 'ticket', 'customer', 'line', 'return', 'operation']),
  id: plainText(name),
  title: plainText(name),
});

/** What other people wrote, as it was read. It has said nothing to anybody. */
const conversationQuotation = z.object({ from: plainText(name), text: plainText(text) });

/** What was drafted then. What was proposed is the operation's own, and may be another. */
const conversationDraft = z.object({
  orderId: outsideId,
  amount: amountSchema,
  lines: z.array(proposedLine).check(z.maxLength(items)),
  reason: z.optional(z.enum(refundReasons)),
  returnId: z.optional(outsideId),
});

/** Money of what a model used: millionths of the currency's unit, so that a few tokens are not nothing. */
export const modelCostSchema = z.object({
  micros: z.int().check(z.nonnegative()),
  currency: z.string().check(z.regex(/^[A-Z]{3}$/)),
});
export type ModelCost = z.infer<typeof modelCostSchema>;

/** A model that was asked. `followed`: its words led to the answer; else the built-in interpreter's stood. */
export const modelUseSchema = z.object({
  name: plainText(name),
  followed: z.boolean(),
  inputTokens: z.int().check(z.nonnegative()),
  outputTokens: z.int().check(z.nonnegative()),
  /** Absent where no prices are set. */
  cost: z.optional(modelCostSchema),
});
export type ModelUse = z.infer<typeof modelUseSchema>;

const conversationTurn = z.object({
  /** By the clock of whoever kept it. */
  at: time,
  asked: plainText(text),
  answered: plainText(text),
  /** `program`: an assistant outside, which says itself what it was asked. */
  interpreter: z.enum(['on-the-device', 'at-holdfast', 'program']),
  read: z.array(conversationReading).check(z.maxLength(items)),
  quoted: z.array(conversationQuotation).check(z.maxLength(items)),
  drafted: z.optional(conversationDraft),
  model: z.optional(modelUseSchema),
});
export type ConversationTurn = z.infer<typeof conversationTurn>;

/**
 * What was asked of an assistant before somebody proposed: evidence for people, kept with the operation. Nothing is
 * decided by it, and nothing in it is an instruction or an approval.
 */
export const conversationSchema = z
  .object({
    turns: z.array(conversationTurn).check(z.minLength(1), z.maxLength(turns)),
    /** There was more, which is not kept. */
    cut: z.optional(z.boolean()),
  })
  .check(
    z.refine(
      (conversation) => JSON.stringify(conversation).length <= characters,
      `must be at most ${String(characters)} characters of JSON; leave out what others wrote, then the oldest turns`,
    ),
  );
export type Conversation = z.infer<typeof conversationSchema>;
