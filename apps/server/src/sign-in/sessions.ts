import type { Proof } from '@holdfast/engine';
import type postgres from 'postgres';
import { wholeRows } from './whole-rows.ts';

export type SessionRecord = {
  readonly id: string;
  readonly userAgent: string | null;
  readonly since: Date;
  readonly seenAt: Date;
};

/** People's sessions, by person. Ending one is final at once: every request reads it afresh. */
export type Sessions = {
  readonly ofPerson: (userId: string) => Promise<readonly SessionRecord[]>;
  /** How the person of a session last proved who they are; `undefined` where the session has ended. */
  readonly proofOf: (sessionId: string) => Promise<Proof | undefined>;
  readonly prove: (sessionId: string, by: Proof['by'], passkeyId: string | null) => Promise<void>;
  /** Notes that the session is in use, at most once in a while. */
  readonly see: (sessionId: string) => Promise<void>;
  /** False where the person has no such session. */
  readonly end: (userId: string, sessionId: string) => Promise<boolean>;
  readonly endOthers: (userId: string, keptSessionId: string) => Promise<number>;
  readonly endAll: (userId: string) => Promise<number>;
  /** A lost passkey takes with it the sessions that it opened or confirmed. */
  readonly endOfPasskey: (userId: string, passkeyId: string, keptSessionId: string) => Promise<number>;
};

const seenEveryMs = 5 * 60_000;
/** So many sessions are remembered as seen lately; past it the memory starts anew, which costs a write each. */
const mostRemembered = 10_000;

/** The driver's own dates are switched off by the sign-in library's adapter, so times travel as numbers. */
const dateOf = (value: unknown): Date => new Date(Number(value));

const reading = (driver: postgres.Sql): Pick<Sessions, 'ofPerson' | 'proofOf'> => ({
  ofPerson: async (userId) => {
    const rows = wholeRows(
      await driver`select id, "userAgent" as agent, extract(epoch from "createdAt") * 1000 as since_ms,
          extract(epoch from seen_at) * 1000 as seen_ms
        from sign_in.session where "userId" = ${userId} and "expiresAt" > now() order by seen_at desc, id`,
    );
    return rows.map((row) => ({
      id: row['id'] as string,
      userAgent: row['agent'] as string | null,
      since: dateOf(row['since_ms']),
      seenAt: dateOf(row['seen_ms']),
    }));
  },
  proofOf: async (sessionId) => {
    const [row] = wholeRows(
      await driver`select extract(epoch from proved_at) * 1000 as proved_ms, proved_by
        from sign_in.session where id = ${sessionId} and "expiresAt" > now()`,
    );
    return row === undefined
      ? undefined
      : { atMs: Number(row['proved_ms']), by: row['proved_by'] as Proof['by'] };
  },
});

export const sessionsOver = (driver: postgres.Sql): Sessions => {
  let seenAtMs = new Map<string, number>();
  const ended = async (query: postgres.PendingQuery<postgres.Row[]>): Promise<number> => (await query).count;
  return {
    ...reading(driver),
    prove: async (sessionId, by, passkeyId) => {
      await driver`update sign_in.session set proved_at = now(), proved_by = ${by}, passkey_id = ${passkeyId}
        where id = ${sessionId}`;
    },
    see: async (sessionId) => {
      const nowMs = performance.now();
      if (nowMs - (seenAtMs.get(sessionId) ?? Number.NEGATIVE_INFINITY) < seenEveryMs) return;
      if (seenAtMs.size >= mostRemembered) seenAtMs = new Map();
      seenAtMs.set(sessionId, nowMs);
      await driver`update sign_in.session set seen_at = now()
        where id = ${sessionId} and seen_at < now() - interval '5 minutes'`;
    },
    end: async (userId, sessionId) =>
      (await ended(driver`delete from sign_in.session where "userId" = ${userId} and id = ${sessionId}`)) > 0,
    endOthers: (userId, kept) =>
      ended(driver`delete from sign_in.session where "userId" = ${userId} and id <> ${kept}`),
    endAll: (userId) => ended(driver`delete from sign_in.session where "userId" = ${userId}`),
    endOfPasskey: (userId, passkeyId, kept) =>
      ended(driver`delete from sign_in.session
        where "userId" = ${userId} and passkey_id = ${passkeyId} and id <> ${kept}`),
  };
};
