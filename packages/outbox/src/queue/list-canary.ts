import * as z from 'zod/mini';
import type { Eviction } from '../outbox-interface.ts';
import { historyOf, isUnfinishedEntry } from './entry-history.ts';
import type { QueueSnapshot } from './queue-store.ts';

/**
 * What is remembered of this device's list outside of its storage: when it began, and what waits in it. A browser that
 * clears the storage leaves this, so the loss can be told from a device that was never used.
 */
const canarySchema = z.object({
  v: z.literal(1),
  sinceMs: z.number(),
  writtenAtMs: z.number(),
  /** How many items of all people wait unsent. */
  waiting: z.int(),
  /** Proposals among them, by subject. */
  proposals: z.record(z.string(), z.array(z.string())),
});
export type ListCanary = z.infer<typeof canarySchema>;

/** A cookie holds 4 kB, and goes to the server with each request. */
const mostNamed = 25;

/** @param sinceMs when the list began */
export const canaryOf = (snapshot: QueueSnapshot, sinceMs: number, nowMs: number): ListCanary => {
  const waiting = snapshot.records.filter((record) => isUnfinishedEntry(historyOf(record)));
  const proposals: Record<string, string[]> = {};
  const named = waiting.filter(({ entry }) => entry.type === 'propose').slice(-mostNamed);
  for (const { entry } of named) (proposals[entry.subject] ??= []).push(entry.operationId);
  return { v: 1, sinceMs, writtenAtMs: nowMs, waiting: waiting.length, proposals };
};

export const canaryText = (canary: ListCanary): string => encodeURIComponent(JSON.stringify(canary));

/** `null` where the text is none of ours. */
export const readCanary = (text: string): ListCanary | null => {
  try {
    const read = canarySchema.safeParse(JSON.parse(decodeURIComponent(text)));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
};

const lostListSchema = z.object({
  sinceMs: z.number(),
  untilMs: z.number(),
  detectedAtMs: z.number(),
  waiting: z.int(),
  proposals: z.array(
    z.object({
      operationId: z.string(),
      subject: z.string(),
      atHoldfast: z.enum(['known', 'missing', 'not-asked']),
    }),
  ),
  readAtMs: z.nullable(z.number()),
});
/** A list that was lost, as it is noted in the new one. */
export type LostList = z.infer<typeof lostListSchema>;

export const lostListOf = (canary: ListCanary, nowMs: number): LostList => ({
  sinceMs: canary.sinceMs,
  untilMs: canary.writtenAtMs,
  detectedAtMs: nowMs,
  waiting: canary.waiting,
  proposals: Object.entries(canary.proposals).flatMap(([subject, ids]) =>
    ids.map((operationId) => ({ operationId, subject, atHoldfast: 'not-asked' as const })),
  ),
  readAtMs: null,
});

export const readLostList = (note: unknown): LostList | null => {
  const read = lostListSchema.safeParse(note);
  return read.success ? read.data : null;
};

/** What the person who is signed in is told: of other people's items no more than that there were some. */
export const shownEviction = (lost: LostList | null, subject: string | null): Eviction | null => {
  if (lost === null || lost.readAtMs !== null) return null;
  const { sinceMs, untilMs, detectedAtMs, waiting, proposals } = lost;
  return {
    lostSinceMs: sinceMs,
    lostUntilMs: untilMs,
    detectedAtMs,
    waiting,
    proposals: proposals
      .filter((proposal) => proposal.subject === subject)
      .map(({ operationId, atHoldfast }) => ({ operationId, atHoldfast })),
  };
};

export const idsToAsk = (lost: LostList | null, subject: string): readonly string[] =>
  (lost?.proposals ?? [])
    .filter((proposal) => proposal.subject === subject && proposal.atHoldfast === 'not-asked')
    .map(({ operationId }) => operationId);

/** @param known per ID, whether Holdfast has it */
export const afterAsking = (lost: LostList, known: ReadonlyMap<string, boolean>): LostList => ({
  ...lost,
  proposals: lost.proposals.map((proposal) => {
    const answer = known.get(proposal.operationId);
    return answer === undefined ? proposal : { ...proposal, atHoldfast: answer ? 'known' : 'missing' };
  }),
});
