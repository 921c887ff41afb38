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
  /** While it is off: with what note it was let go on although not all was answered after a restore. */
  liftedNote: z.optional(z.nullable(z.string())),
});
export type HoldStanding = z.infer<typeof holdStandingSchema>;

const saying = (text: string): boolean => text.trim() !== '';

/** Putting it on needs a reason that others read. Letting it go on after a restore has rules: `whatKeepsHold`. */
export const holdChangeSchema = z.discriminatedUnion('on', [
  z.object({
    on: z.literal(true),
    reason: someText(500).check(z.refine(saying, 'must say why')),
  }),
  z.object({
    on: z.literal(false),
    /** Somebody says that what has to be done after a restore is done. */
    restoreStepsDone: z.optional(z.boolean()),
    /** Why it goes on all the same, where not everything was looked up or compared. */
    note: z.optional(someText(500).check(z.refine(saying, 'must say why'))),
  }),
]);
export type HoldChange = z.infer<typeof holdChangeSchema>;
export type HoldLift = Omit<Extract<HoldChange, { on: false }>, 'on'>;

/** What of a restore nobody has answered yet, as far as the figures tell. */
export type RestoreGap = 'to-look-up' | 'not-swept';

/** What is still unanswered after a restore; nothing where the hold is for another reason. */
export const restoreGaps = ({
  on,
  afterRestore,
  waits,
  sweptAt,
}: Pick<HoldStanding, 'on' | 'afterRestore' | 'waits' | 'sweptAt'>): readonly RestoreGap[] => {
  if (!on || !afterRestore) return [];
  return [
    ...(waits.toLookUp > 0 ? (['to-look-up'] as const) : []),
    ...(sweptAt === null ? (['not-swept'] as const) : []),
  ];
};

/**
 * What a person has to say before submitting goes on: after a restore that its steps are done, and why it goes on where
 * the figures show that they are not. `null`: nothing more.
 */
export const whatKeepsHold = (
  standing: Pick<HoldStanding, 'on' | 'afterRestore' | 'waits' | 'sweptAt'>,
  { restoreStepsDone, note }: HoldLift,
): 'restoreStepsDone' | 'note' | null => {
  if (!standing.on || !standing.afterRestore) return null;
  if (restoreStepsDone !== true) return 'restoreStepsDone';
  return restoreGaps(standing).length > 0 && note === undefined ? 'note' : null;
};
