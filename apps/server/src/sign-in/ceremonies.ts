import type { Passkeys, PasskeyRecord } from '@holdfast/engine/postgres';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Challenges, ChallengePurpose } from './challenge.ts';
import type { PasskeyHome } from './passkey-home.ts';
import { webauthnLibrary } from './webauthn-library.ts';

/**
 * Ed25519, P-256 and RSA (COSE numbers): what every runtime that may have to check a signature again, years from now, can
 * check. Newer kinds sign with several kilobytes, and not every runtime knows them yet.
 */
const algorithms = [-8, -7, -257];

export type Registered = {
  readonly credentialId: string;
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly transports: string;
  readonly backedUp: boolean;
  readonly rpId: string;
  readonly origin: string;
  readonly challenge: string;
  readonly challengeEndsAt: Date;
};

/** Why an answer of an authenticator counts for nothing. `copied`: its counter went back. */
export type Unproved = 'unknown-passkey' | 'revoked' | 'not-verified' | 'spent' | 'copied';

export type Asserted = { readonly passkey: PasskeyRecord } | { readonly refused: Unproved };

type Home = Extract<PasskeyHome, { possible: true }>;
type CeremonyParts = {
  readonly home: Home;
  readonly challenges: Challenges;
  readonly passkeys: Passkeys;
  readonly now: () => Date;
};
type Live = Pick<PasskeyRecord, 'credentialId' | 'transports' | 'revokedAt'>;

const descriptors = (passkeys: readonly Live[]): { id: string; transports: string[] }[] =>
  passkeys
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: transports === '' ? [] : transports.split(','),
    }));

/** The words and the arithmetic between us and an authenticator. */
export type Ceremonies = {
  readonly registrationOptions: (
    sessionId: string,
    person: { readonly userId: string; readonly email: string; readonly name: string },
    known: readonly Live[],
  ) => Promise<unknown>;
  /** `undefined`: nothing that we asked for. Its challenge is still to be spent. */
  readonly registered: (
    sessionId: string,
    origins: readonly string[],
    response: RegistrationResponseJSON,
  ) => Promise<Registered | undefined>;
  /** Without `known` the authenticator offers whichever passkeys it has for us. */
  readonly assertionOptions: (
    purpose: ChallengePurpose,
    binding: string,
    known?: readonly Live[],
  ) => Promise<unknown>;
  /** Verifies, spends the challenge and records the use. */
  readonly asserted: (
    purpose: ChallengePurpose,
    binding: string,
    origins: readonly string[],
    response: AuthenticationResponseJSON,
  ) => Promise<Asserted>;
};

/** The library says every "no" by throwing, and it asks nothing of the world: what it throws is a "no". */
const orUndefined = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
  try {
    return await work();
  } catch {
    return undefined;
  }
};

/** Takes note of the challenge while it judges it. */
const challengeJudge = (challenges: Challenges, purpose: ChallengePurpose, binding: string) => {
  const seen: { challenge: string; endsAt: Date | undefined } = { challenge: '', endsAt: undefined };
  const judge = (challenge: string): boolean => {
    seen.challenge = challenge;
    seen.endsAt = challenges.endOf(challenge, purpose, binding);
    return seen.endsAt !== undefined;
  };
  return { seen, judge };
};

const registering = ({
  home,
  challenges,
}: CeremonyParts): Pick<Ceremonies, 'registrationOptions' | 'registered'> => ({
  registrationOptions: async (sessionId, { userId, email, name }, known) =>
    (await webauthnLibrary()).generateRegistrationOptions({
      rpName: 'Holdfast',
      rpID: home.rpId,
      userID: new TextEncoder().encode(userId),
      userName: email,
      userDisplayName: name,
      challenge: Uint8Array.from(Buffer.from(challenges.make('register', sessionId), 'base64url')),
      timeout: 120_000,
      attestationType: 'none',
      excludeCredentials: descriptors(known),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: algorithms,
    }),
  registered: async (sessionId, origins, response) => {
    const { seen, judge } = challengeJudge(challenges, 'register', sessionId);
    const { verifyRegistrationResponse } = await webauthnLibrary();
    const verified = await orUndefined(() =>
      verifyRegistrationResponse({
        response,
        expectedChallenge: judge,
        expectedOrigin: [...origins],
        expectedRPID: home.rpId,
        requireUserVerification: true,
        supportedAlgorithmIDs: algorithms,
      }),
    );
    if (verified?.verified !== true || seen.endsAt === undefined) return undefined;
    const { credential, credentialBackedUp, origin } = verified.registrationInfo;
    return {
      credentialId: credential.id,
      publicKey: credential.publicKey,
      counter: credential.counter,
      transports: (credential.transports ?? []).join(','),
      backedUp: credentialBackedUp,
      rpId: home.rpId,
      origin,
      challenge: seen.challenge,
      challengeEndsAt: seen.endsAt,
    };
  },
});

const isOwner = (passkey: PasskeyRecord, userHandle: string | undefined): boolean =>
  userHandle === undefined || Buffer.from(userHandle, 'base64url').toString('utf8') === passkey.userId;

const asserting = ({
  home,
  challenges,
  passkeys,
  now,
}: CeremonyParts): Pick<Ceremonies, 'assertionOptions' | 'asserted'> => ({
  assertionOptions: async (purpose, binding, known) =>
    (await webauthnLibrary()).generateAuthenticationOptions({
      rpID: home.rpId,
      challenge: Uint8Array.from(Buffer.from(challenges.make(purpose, binding), 'base64url')),
      timeout: 120_000,
      userVerification: 'required',
      ...(known === undefined ? {} : { allowCredentials: descriptors(known) }),
    }),
  asserted: async (purpose, binding, origins, response) => {
    const passkey = await passkeys.byCredentialId(response.id);
    if (passkey === undefined) return { refused: 'unknown-passkey' };
    const { seen, judge } = challengeJudge(challenges, purpose, binding);
    const { verifyAuthenticationResponse } = await webauthnLibrary();
    const verified = await orUndefined(() =>
      verifyAuthenticationResponse({
        response,
        expectedChallenge: judge,
        expectedOrigin: [...origins],
        expectedRPID: home.rpId,
        requireUserVerification: true,
        // The counter is judged where it is written, so that a copy is not only refused but noticed.
        credential: { id: passkey.credentialId, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
      }),
    );
    if (verified?.verified !== true || seen.endsAt === undefined) return { refused: 'not-verified' };
    if (!isOwner(passkey, response.response.userHandle)) return { refused: 'not-verified' };
    if (!(await passkeys.spendChallenge(seen.challenge, seen.endsAt, now()))) return { refused: 'spent' };
    const use = await passkeys.noteUse(passkey.id, verified.authenticationInfo.newCounter, now());
    if (use === 'noted') return { passkey };
    return { refused: use === 'revoked' ? 'revoked' : 'copied' };
  },
});

export const ceremoniesAt = (parts: CeremonyParts): Ceremonies => ({
  ...registering(parts),
  ...asserting(parts),
});
