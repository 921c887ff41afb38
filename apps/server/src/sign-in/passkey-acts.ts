import { randomUUID } from 'node:crypto';
import { judgeRegistering, judgeRevoking, type Proof, type RegisterJudgement } from '@holdfast/engine';
import { passkeysIn, type InOrganisation, type OrganisationTransaction } from '@holdfast/engine/postgres';
import type { Registered } from './ceremonies.ts';
import { recordAct, type Person } from './security-acts.ts';

type Refused<Because> = { readonly refused: Because };
export type RegisterOutcome =
  | { readonly registered: string }
  | Refused<Exclude<RegisterJudgement, 'allowed'> | 'known' | 'spent' | 'too-many'>;
export type RevokeOutcome = 'revoked' | 'already' | 'unknown' | 'confirm';

/** What people do with their passkeys: judged, written and audited in one transaction. */
export type PasskeyActs = {
  readonly mayRegister: (person: Person, proof: Proof) => Promise<RegisterJudgement>;
  readonly register: (
    person: Person,
    proof: Proof,
    name: string,
    given: Registered,
  ) => Promise<RegisterOutcome>;
  /** False where the person has no such passkey that still lives. */
  readonly rename: (person: Person, passkeyId: string, name: string) => Promise<boolean>;
  readonly revoke: (person: Person, proof: Proof, passkeyId: string) => Promise<RevokeOutcome>;
};

/** Nobody has more devices than this; a list without an end would only hide the one that is not theirs. */
const mostLive = 20;

/** One at a time for a person: two first passkeys cannot both be the first. */
const lockPerson = (tx: OrganisationTransaction, userId: string) =>
  tx.ask(`select pg_advisory_xact_lock(hashtextextended('passkeys of ' || $1, 0))`, [userId]);

const factsOf = async (tx: OrganisationTransaction, userId: string) => {
  const all = await passkeysIn(tx.db).ofPerson(userId);
  return {
    livePasskeys: all.filter(({ revokedAt }) => revokedAt === null).length,
    passkeysSinceRecovery: all.filter(({ beforeRecovery }) => !beforeRecovery).length,
  };
};

const registerIn = async (
  tx: OrganisationTransaction,
  { userId, sessionId }: Person,
  proof: Proof,
  name: string,
  given: Registered,
): Promise<RegisterOutcome> => {
  await lockPerson(tx, userId);
  // Whoever was recovered while this waited has no passkeys: the session that is no more must not make the first.
  const [session] = await tx.ask('select session_lives($1) as lives', [sessionId]);
  if (session?.['lives'] !== true) return { refused: 'confirm' };
  const facts = await factsOf(tx, userId);
  const judged = judgeRegistering({ proof, nowMs: tx.now.getTime(), ...facts });
  if (judged !== 'allowed') return { refused: judged };
  if (facts.livePasskeys >= mostLive) return { refused: 'too-many' };
  const { challenge, challengeEndsAt, ...passkey } = given;
  const passkeys = passkeysIn(tx.db);
  if (!(await passkeys.spendChallenge(challenge, challengeEndsAt, tx.now))) return { refused: 'spent' };
  const id = randomUUID();
  const added = await passkeys.add({ ...passkey, id, userId, name });
  return added === 'known' ? { refused: 'known' } : { registered: id };
};

export const passkeyActsIn = (inOrganisation: InOrganisation): PasskeyActs => ({
  mayRegister: (person, proof) =>
    inOrganisation(person.organisationId, async (tx) =>
      judgeRegistering({ proof, nowMs: tx.now.getTime(), ...(await factsOf(tx, person.userId)) }),
    ),
  register: (person, proof, name, given) =>
    inOrganisation(person.organisationId, async (tx) => {
      const outcome = await registerIn(tx, person, proof, name, given);
      if ('registered' in outcome) {
        await recordAct(tx, 'passkey-added', person, { passkeyId: outcome.registered });
      }
      return outcome;
    }),
  rename: (person, passkeyId, name) =>
    inOrganisation(person.organisationId, async (tx) => {
      const isDone = await passkeysIn(tx.db).rename(person.userId, passkeyId, name);
      if (isDone) await recordAct(tx, 'passkey-renamed', person, { passkeyId });
      return isDone;
    }),
  revoke: (person, proof, passkeyId) =>
    inOrganisation(person.organisationId, async (tx) => {
      if (judgeRevoking(proof, tx.now.getTime()) === 'confirm') return 'confirm';
      const { userId } = person;
      const outcome = await passkeysIn(tx.db).revoke(userId, passkeyId, userId, tx.now);
      if (outcome === 'revoked') await recordAct(tx, 'passkey-revoked', person, { passkeyId });
      return outcome;
    }),
});
