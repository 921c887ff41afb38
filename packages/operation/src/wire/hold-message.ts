import * as z from 'zod/mini';
import { someText } from './plain-text.ts';

const time = z.iso.datetime();
const whole = z.number().check(z.int(), z.nonnegative());

/** Whether submitting is on hold, who put it there and why; and what waits for it, while it is on. */
export const holdStandingSchema = z.object({
  on: z.boolean(),
  since: z.nullable(time),
  /** `name` is null where it was no person: a restore, or the command line. */
  by: z.nullable(z.object({ id: z.string(), name: z.nullable(z.string()) })),
  reason: z.nullable(z.string()),
  /** Set by a new generation of history: the database was put back, or brought up elsewhere. */
  afterRestore: z.boolean(),
  waits: z.object({
    /** Approved; each is looked up at the provider before it is sent. */
    approved: whole,
    /** May have been sent: looked up while it is on hold, too. */
    toLookUp: whole,
    /** Of these, and of what was settled since, looked up since the hold began. */
    lookedUp: whole,
    needsPerson: whole,
  }),
  /** The end of the last sweep since the hold began; `null`: none has run since. */
  sweptAt: z.nullable(time),
});
export type HoldStanding = z.infer<typeof holdStandingSchema>;

/** Putting it on needs a reason that others read. */
export const holdChangeSchema = z.discriminatedUnion('on', [
  z.object({
    on: z.literal(true),
    reason: someText(500).check(z.refine((text) => text.trim() !== '', 'must say why')),
  }),
  z.object({ on: z.literal(false) }),
]);
export type HoldChange = z.infer<typeof holdChangeSchema>;
