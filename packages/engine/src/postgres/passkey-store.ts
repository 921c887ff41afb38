import { and, asc, eq, isNull, lt } from 'drizzle-orm';
import type { Database } from './connection.ts';
import { passkey, spentChallenge } from './schema-sign-in.ts';

/** A passkey as it stands in the database. There is no secret in it. */
export type PasskeyRecord = {
  readonly id: string;
  /** As the browser writes it: base64url. */
  readonly credentialId: string;
  /** COSE key, as the authenticator gave it. */
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly userId: string;
  readonly name: string;
  readonly rpId: string;
  /** Where it was registered. */
  readonly origin: string;
  /** Comma-separated, as the browser named them. */
  readonly transports: string;
  readonly backedUp: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly counterWentBackAt: Date | null;
  /** Revoked ones are kept: what they signed before stays verifiable. */
  readonly revokedAt: Date | null;
  readonly revokedBy: string | null;
  readonly beforeRecovery: boolean;
};

export type NewPasskey = Pick<
  PasskeyRecord,
  | 'id'
  | 'credentialId'
  | 'publicKey'
  | 'counter'
  | 'userId'
  | 'name'
  | 'rpId'
  | 'origin'
  | 'transports'
  | 'backedUp'
>;

export type Passkeys = {
  readonly byCredentialId: (credentialId: string) => Promise<PasskeyRecord | undefined>;
  /** Revoked ones too, oldest first. */
  readonly ofPerson: (userId: string) => Promise<readonly PasskeyRecord[]>;
  /** `known`: this very passkey stands here already, whoever's it is. */
  readonly add: (added: NewPasskey) => Promise<'added' | 'known'>;
  /** Records one use, unless the counter went back (that is recorded instead) or the passkey is revoked. */
  readonly noteUse: (id: string, counter: number, now: Date) => Promise<'noted' | 'went-back' | 'revoked'>;
  /** False where the person has no such passkey that still lives. */
  readonly rename: (userId: string, id: string, name: string) => Promise<boolean>;
  readonly revoke: (
    userId: string,
    id: string,
    by: string,
    now: Date,
  ) => Promise<'revoked' | 'already' | 'unknown'>;
  /** Uses up a challenge. False where it was used before. */
  readonly spendChallenge: (challenge: string, endsAt: Date, now: Date) => Promise<boolean>;
};

type Rows = Pick<Passkeys, 'byCredentialId' | 'ofPerson'>;

const reading = (db: Database): Rows => ({
  byCredentialId: async (credentialId) => {
    const [found] = await db.select().from(passkey).where(eq(passkey.credentialId, credentialId));
    return found;
  },
  ofPerson: (userId) =>
    db
      .select()
      .from(passkey)
      .where(eq(passkey.userId, userId))
      .orderBy(asc(passkey.createdAt), asc(passkey.id)),
});

const lives = (id: string) => and(eq(passkey.id, id), isNull(passkey.revokedAt));

/** The same rule as `judgeCounter`, as a condition of the write: two uses at once cannot both pass. */
const mayFollow = (counter: number) =>
  counter === 0 ? eq(passkey.counter, 0) : lt(passkey.counter, counter);

const noteUse =
  (db: Database): Passkeys['noteUse'] =>
  async (id, counter, now) => {
    const noted = await db
      .update(passkey)
      .set({ counter, lastUsedAt: now })
      .where(and(lives(id), mayFollow(counter)))
      .returning({ id: passkey.id });
    if (noted.length > 0) return 'noted';
    const wentBack = await db
      .update(passkey)
      .set({ counterWentBackAt: now })
      .where(lives(id))
      .returning({ id: passkey.id });
    return wentBack.length > 0 ? 'went-back' : 'revoked';
  };

/** Over the pool, or within one transaction: then a decision and what it rests on are read and written together. */
export const passkeysIn = (db: Database): Passkeys => ({
  ...reading(db),
  noteUse: noteUse(db),
  add: async (added) => {
    const rows = await db
      .insert(passkey)
      .values(added)
      .onConflictDoNothing({ target: passkey.credentialId })
      .returning({ id: passkey.id });
    return rows.length > 0 ? 'added' : 'known';
  },
  rename: async (userId, id, name) => {
    const rows = await db
      .update(passkey)
      .set({ name })
      .where(and(lives(id), eq(passkey.userId, userId)))
      .returning({ id: passkey.id });
    return rows.length > 0;
  },
  revoke: async (userId, id, by, now) => {
    const rows = await db
      .update(passkey)
      .set({ revokedAt: now, revokedBy: by })
      .where(and(lives(id), eq(passkey.userId, userId)))
      .returning({ id: passkey.id });
    if (rows.length > 0) return 'revoked';
    const known = await db
      .select({ id: passkey.id })
      .from(passkey)
      .where(and(eq(passkey.id, id), eq(passkey.userId, userId)));
    return known.length > 0 ? 'already' : 'unknown';
  },
  spendChallenge: async (challenge, endsAt, now) => {
    await db.delete(spentChallenge).where(lt(spentChallenge.endsAt, now));
    const rows = await db
      .insert(spentChallenge)
      .values({ challenge, endsAt })
      .onConflictDoNothing()
      .returning({ challenge: spentChallenge.challenge });
    return rows.length > 0;
  },
});
