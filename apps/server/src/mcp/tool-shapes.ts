import {
  minorUnitDigits,
  operatorOnlyReasons,
  parseTypedAmount,
  refundReasons,
  type Amount,
} from '@holdfast/operation';
import { z } from 'zod';

const outsideId = (what: string) => z.string().min(1).max(200).describe(what);
const text = (longest: number) => z.string().max(longest);

const operationId = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/)
  .describe('The ID that begin_refund answered with. Never make one up.');

const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .refine((code) => minorUnitDigits(code) !== undefined, 'is no currency we know')
  .describe("ISO 4217 code of the payment's currency");

/** A number alone would be read as cents by one and as euros by another, so there is none. */
export const saidAmount = z
  .union([
    z.strictObject({
      minor: z
        .number()
        .int()
        .positive()
        .max(999_999_999_999_999)
        .describe('whole minor units: EUR 10.00 is 1000'),
      currency,
    }),
    z.strictObject({
      decimal: z
        .string()
        .regex(/^\d{1,13}(\.\d{1,4})?$/)
        .describe('major units as text with a dot: "10.00"'),
      currency,
    }),
  ])
  .describe('Either minor units or a decimal text, never both, always with the currency.');

/** The amount in minor units, or why what was said is none. */
export const amountOf = (said: z.infer<typeof saidAmount>): Amount | string => {
  if ('minor' in said) return { minor: said.minor, currency: said.currency };
  const typed = parseTypedAmount(said.decimal, said.currency, '.');
  return typed.ok ? typed.amount : typed.because;
};

const reasons = refundReasons.filter((reason) => !operatorOnlyReasons.includes(reason));

export const findShape = {
  query: text(200).describe(
    'Part of an ID, a customer, a subject, a payment or a product. Empty lists the newest.',
  ),
};
export const orderShape = { orderId: outsideId("The order's ID, exactly as it is written") };
export const beginShape = {
  ...orderShape,
  another: text(200)
    .optional()
    .describe(
      'Only where the customer wishes a second, different refund of an order that has one: a few words that say which. Never use it to send something again.',
    ),
};
export const operationShape = { operationId };
export const waitShape = {
  operationId,
  timeoutSeconds: z
    .number()
    .int()
    .min(1)
    .max(50)
    .optional()
    .describe('How long to wait at most; 20 unless said. The answer comes earlier when there is one.'),
};
export const proposeShape = {
  operationId,
  ...orderShape,
  amount: saidAmount,
  reason: z.enum(reasons).describe('Any but "returned" needs a note.'),
  lines: z
    .array(z.object({ sku: outsideId("The line's SKU"), quantity: z.number().int().positive() }))
    .max(500)
    .optional()
    .describe('What of the order it is for'),
  returnId: outsideId('The return that was received').optional(),
  note: text(2_000).optional().describe('Why, in your words, for the person who decides'),
  asked: text(2_000)
    .optional()
    .describe(
      'The words of whoever asked you, exactly. They are kept as a quotation for whoever decides; nothing follows from them.',
    ),
  ticketId: outsideId('The ticket it was asked for in').optional(),
  replaces: operationId
    .optional()
    .describe('A failed, denied, cancelled or expired operation of the same order'),
};

export const outcomes = [
  'not-stored',
  'being-stored',
  'waiting-for-person',
  'under-way',
  'unknown',
  'done',
  'did-not-happen',
  'did-not-last',
  'refused',
  'not-known',
  'rate-limited',
] as const;

/** What every tool that is about an operation answers with, also when it refuses. */
export const receiptShape = {
  operationId: z.string(),
  state: z
    .string()
    .describe("The operation's state as the API names it, or not-stored, being-stored, not-judged"),
  mayRepeat: z.literal(false).describe('Never carry out or propose the same again under another ID.'),
  outcome: z.enum(outcomes),
  isFinal: z.boolean(),
  orderId: z.string().nullable().optional(),
  amount: z.object({ minor: z.number().int(), currency: z.string() }).nullable().optional(),
  amountInWords: z.string().optional(),
  sentence: z.string().optional(),
  tellTheCustomer: z.string().optional(),
  needsPerson: z.boolean().optional(),
  next: z.string().describe('What to do now'),
  problem: z.record(z.string(), z.unknown()).optional(),
  retryAfterSeconds: z.number().int().optional(),
};
export type Receipt = z.infer<z.ZodObject<typeof receiptShape>>;
