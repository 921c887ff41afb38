import * as z from 'zod/mini';
import { operationStates } from '../state.ts';

const time = z.iso.datetime();
const whole = z.number().check(z.int(), z.nonnegative());
const day = z.iso.date();

/** How long an outcome has been unknown: from (inclusive) to below, in seconds; `null`: any longer. */
export const ageBuckets = [
  { from: 0, below: 60 },
  { from: 60, below: 900 },
  { from: 900, below: 3_600 },
  { from: 3_600, below: 21_600 },
  { from: 21_600, below: 86_400 },
  { from: 86_400, below: null },
] as const;

/** The most days that figures are told of at once. */
export const mostNumberDays = 92;

/** What was measured, in the unit that its field's name ends with: the middle one, and what 95 of 100 stay within. */
const spread = { count: whole, median: z.nullable(z.number()), p95: z.nullable(z.number()) };
const byDay = z.object({ day, begins: time, ends: time, ...spread });
const measured = z.object({ all: z.object(spread), days: z.array(byDay) });

/**
 * One organisation in figures. `total` counts from the organisation's first day, as `/metrics` does; `lately` counts the
 * days asked for.
 */
export const numbersSchema = z.object({
  at: time,
  /** Whose days they are: an IANA time zone. */
  zone: z.string(),
  from: time,
  until: time,
  /** Since when everything is counted. */
  since: time,
  duplicates: z.object({
    total: whole,
    lately: whole,
    /** The end of the last sweep that could have found one; `null`: none has run yet. */
    lastSweepAt: z.nullable(time),
  }),
  states: z.array(
    z.object({ state: z.enum(operationStates), count: whole, oldestSeconds: z.nullable(z.number()) }),
  ),
  unresolved: z.object({
    needsPerson: whole,
    others: whole,
    byAge: z.array(z.object({ from: whole, below: z.nullable(whole), count: whole, needsPerson: whole })),
  }),
  /** Seconds from unknown to settled, by the day it was settled. */
  reconciliationSeconds: measured,
  absorbed: z.array(z.object({ at: z.string(), total: whole, lately: whole })),
  attempts: z.array(z.object({ provider: z.string(), result: z.string(), total: whole, lately: whole })),
  lateReversals: z.object({ total: whole, lately: whole }),
  /** Milliseconds from a request to the provider's answer, of those that were answered, by the day it was sent. */
  latencyMs: measured,
});
export type Numbers = z.infer<typeof numbersSchema>;

/** What a figure is of: the operations behind it can be listed. */
export const figures = [
  'duplicates',
  'absorbed',
  'reconciled',
  'reversed',
  'attempts',
  'answered',
  'unknown',
] as const;
export type Figure = (typeof figures)[number];
