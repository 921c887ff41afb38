import type { Passkeys } from '@holdfast/engine/postgres';
import type { Proof } from '@holdfast/engine';
import { z } from 'zod';
import type { LettersInTurn } from '../../mail/letters-in-turn.ts';
import type { MailWay } from '../../mail/mail.ts';
import type { Membership } from '../../sign-in/access-store.ts';
import type { Ceremonies } from '../../sign-in/ceremonies.ts';
import type { PasskeyActs } from '../../sign-in/passkey-acts.ts';
import type { PasskeyHome } from '../../sign-in/passkey-home.ts';
import { whyNoPasskeys } from '../../sign-in/passkey-home.ts';
import type { People, Session } from '../../sign-in/people.ts';
import { deviceOf, type Person, type TellAct } from '../../sign-in/security-acts.ts';
import { refuse } from '../problem.ts';
import type { RateLimiter } from '../rate-limit.ts';
import type { Call } from '../route.ts';
import { isOwnOrigin } from '../same-origin.ts';

/** What the routes about passkeys, sessions and passwords are made of. */
export type SecurityParts = {
  readonly home: PasskeyHome;
  /** `undefined` where passkeys are not possible. */
  readonly ceremonies: Ceremonies | undefined;
  readonly passkeys: Passkeys;
  readonly acts: PasskeyActs;
  readonly tell: TellAct;
  /** The person has a password again; tells so where that ends a recovery. */
  readonly recoveryUsed: (organisationId: string, userId: string, device: string) => Promise<void>;
  readonly people: People;
  readonly membershipsOf: (userId: string) => Promise<readonly Membership[]>;
  readonly letters: LettersInTurn;
  readonly mailWay: MailWay;
  /** Tries to prove who one is, a minute and person. */
  readonly tries: RateLimiter;
  /** Letters to one address, an hour. */
  readonly letterLimit: RateLimiter;
  /** Open feeds look again whether their reader may still read. */
  readonly sessionsEnded: () => void;
};

export const possible = ({ ceremonies, home }: SecurityParts): Ceremonies => {
  if (ceremonies !== undefined) return ceremonies;
  const sentence = home.possible ? '' : whyNoPasskeys(home);
  throw refuse('not-eligible', sentence, { reasons: [{ reason: 'passkeys-not-possible', sentence }] });
};

/** Origins that an authenticator's answer may come from: ours, by whichever loopback name and port it came. */
export const originsFor = (request: Request, { home }: SecurityParts): readonly string[] => {
  const origin = request.headers.get('origin');
  const host = request.headers.get('host') ?? undefined;
  return origin !== null && isOwnOrigin(origin, home.origin, host) ? [home.origin, origin] : [home.origin];
};

export const sessionOf = ({ identity }: Pick<Call<unknown, unknown>, 'identity'>): Session => {
  if (identity.session !== undefined) return identity.session;
  throw refuse('forbidden', 'This is for people who are signed in: no key may do it.');
};

export const personOf = (call: Pick<Call<unknown, unknown>, 'identity' | 'who' | 'request'>): Person => ({
  organisationId: call.who.organisationId,
  userId: sessionOf(call).userId,
  sessionId: sessionOf(call).sessionId,
  device: deviceOf(call.request.headers),
});

export const proofOf = async ({ people }: SecurityParts, sessionId: string): Promise<Proof> => {
  const proof = await people.sessions.proofOf(sessionId);
  if (proof === undefined) throw refuse('unauthenticated', 'This session has ended. Sign in again.');
  return proof;
};

/** The person has to prove first, in place, who they are; `needs` says how, for the page. */
export const confirmFirst = (needs: 'confirm' | 'confirm-with-passkey' | 'recovery-needed'): Error =>
  refuse('forbidden', sentences[needs], { final: false, needs });

const sentences = {
  confirm: 'Confirm first that it is you: with your password or a passkey.',
  'confirm-with-passkey': 'Confirm first that it is you: with a passkey that you already have.',
  'recovery-needed':
    'You had a passkey and have none any more, so two admins have to let you register a new one.',
} as const;

const base64url = z.string().regex(/^[\w-]+$/, 'must be base64url');
const shared = { id: base64url.max(1_400), rawId: base64url.max(1_400), type: z.literal('public-key') };
const extensions = { clientExtensionResults: z.looseObject({}).default({}) };

/** As a browser serialises what an authenticator answered to `create`. */
export const registrationSchema = z.object({
  ...shared,
  ...extensions,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z
      .array(z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']).catch('internal'))
      .max(10)
      .optional(),
  }),
});

/** … and to `get`. */
export const assertionSchema = z.object({
  ...shared,
  ...extensions,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: z.string().max(200).optional(),
  }),
});
