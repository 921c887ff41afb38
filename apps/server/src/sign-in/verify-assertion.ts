import type { VerifyAssertion } from '@holdfast/engine';
import { base64urlOf, signatureTimeVerdict } from '@holdfast/operation';
import { isLoopbackOrigin } from '../settings/settings.ts';
import { checkAssertion } from './check-assertion.ts';

/** A passkey as far as approvals are verified by it. */
export type SigningPasskey = {
  readonly userId: string;
  /** COSE key. */
  readonly publicKey: Uint8Array;
  readonly rpId: string;
  readonly revokedAt: Date | null;
};

export type AssertionVerifierParts = {
  readonly publicOrigin: string;
  readonly findPasskey: (credentialId: string) => Promise<SigningPasskey | undefined>;
  readonly nowMs: () => number;
};

/** Pages of ours: the public origin and, where that is loopback, the same port by its other names. */
export const isOurPage =
  (publicOrigin: string) =>
  (origin: string): boolean => {
    if (origin === publicOrigin) return true;
    if (!URL.canParse(origin) || !isLoopbackOrigin(publicOrigin) || !isLoopbackOrigin(origin)) return false;
    const [said, own] = [new URL(origin), new URL(publicOrigin)];
    return said.origin === origin && said.protocol === own.protocol && said.port === own.port;
  };

/** Judges an approval's assertion as things are now: whose passkey it is, whether it is revoked, expired, and right. */
export const assertionVerifier =
  ({ publicOrigin, findPasskey, nowMs }: AssertionVerifierParts): VerifyAssertion =>
  async (actor, statement, assertion) => {
    const passkey = await findPasskey(assertion.credentialId);
    if (passkey === undefined) return { kind: 'wrong', because: 'unknown-passkey' };
    if (passkey.userId !== actor.id) return { kind: 'wrong', because: 'another-persons-passkey' };
    if (passkey.revokedAt !== null) return { kind: 'wrong', because: 'revoked-passkey' };
    const { publicKey, rpId: relyingPartyId } = passkey;
    const isOurOrigin = isOurPage(publicOrigin);
    const checked = await checkAssertion({ statement, publicKey, relyingPartyId, isOurOrigin }, assertion);
    if (checked.kind === 'wrong') return checked;
    const inTime = signatureTimeVerdict(statement.expiresAt, nowMs());
    if (inTime !== 'good') {
      return { kind: 'wrong', because: inTime === 'expired' ? 'expired' : 'expires-too-late' };
    }
    const { origin, counter } = checked;
    return {
      kind: 'signed',
      proof: { assertion, publicKey: base64urlOf(publicKey), relyingPartyId, origin, counter },
    };
  };
