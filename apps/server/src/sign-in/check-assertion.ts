import type { ApprovalProof, WrongSignature } from '@holdfast/engine';
import {
  approvalChallengeText,
  bytesOfBase64url,
  type ApprovalStatement,
  type Assertion,
} from '@holdfast/operation';
import { webauthnLibrary, type WebauthnLibrary } from './webauthn-library.ts';

/** What an assertion has to agree with. */
export type Expected = {
  readonly statement: ApprovalStatement;
  readonly publicKey: Uint8Array;
  readonly relyingPartyId: string;
  readonly isOurOrigin: (origin: string) => boolean;
};

export type Checked =
  | { readonly kind: 'good'; readonly origin: string; readonly counter: number }
  | { readonly kind: 'wrong'; readonly because: WrongSignature };

const wrong = (because: WrongSignature): Checked => ({ kind: 'wrong', because });

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean => Buffer.from(one).equals(other);

/** What can be read of it; `undefined` where it is no assertion at all. */
const read = ({ decodeClientDataJSON, parseAuthenticatorData }: WebauthnLibrary, assertion: Assertion) => {
  const authenticatorData = bytesOfBase64url(assertion.authenticatorData);
  const isText = [assertion.credentialId, assertion.clientDataJSON, assertion.signature].every(
    (text) => bytesOfBase64url(text) !== undefined,
  );
  if (authenticatorData === undefined || !isText) return undefined;
  try {
    const { type, challenge, origin, crossOrigin } = decodeClientDataJSON(assertion.clientDataJSON);
    const { flags, counter, rpIdHash } = parseAuthenticatorData(authenticatorData);
    return { type, challenge, origin, crossOrigin: crossOrigin === true, flags, counter, rpIdHash };
  } catch {
    return undefined;
  }
};

/** The library's own verification of everything, the signature included; what it cannot read does not verify. */
const verifies = async (
  { verifyAuthenticationResponse }: WebauthnLibrary,
  { statement, publicKey, relyingPartyId }: Expected,
  assertion: Assertion,
  origin: string,
): Promise<boolean> => {
  try {
    const { verified } = await verifyAuthenticationResponse({
      response: {
        id: assertion.credentialId,
        rawId: assertion.credentialId,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          authenticatorData: assertion.authenticatorData,
          clientDataJSON: assertion.clientDataJSON,
          signature: assertion.signature,
        },
      },
      expectedChallenge: approvalChallengeText(statement),
      expectedOrigin: origin,
      expectedRPID: relyingPartyId,
      requireUserVerification: true,
      // Counts are judged by the approvals that carry them: these arrive in any order.
      credential: { id: assertion.credentialId, publicKey: Uint8Array.from(publicKey), counter: 0 },
    });
    return verified;
  } catch {
    return false;
  }
};

/** Whether these bytes are a passkey's signature over exactly this statement. Asks nobody: bytes against bytes. */
export const checkAssertion = async (expected: Expected, assertion: Assertion): Promise<Checked> => {
  const webauthn = await webauthnLibrary();
  const said = read(webauthn, assertion);
  if (said === undefined) return wrong('signature-does-not-verify');
  if (said.type !== 'webauthn.get' || said.challenge !== approvalChallengeText(expected.statement)) {
    return wrong('another-decision');
  }
  if (said.crossOrigin || !expected.isOurOrigin(said.origin)) return wrong('another-origin');
  const ownHash = await webauthn.toHash(new TextEncoder().encode(expected.relyingPartyId));
  if (!sameBytes(said.rpIdHash, ownHash)) return wrong('another-origin');
  if (!said.flags.up || !said.flags.uv) return wrong('person-not-verified');
  if (!(await verifies(webauthn, expected, assertion, said.origin)))
    return wrong('signature-does-not-verify');
  return { kind: 'good', origin: said.origin, counter: said.counter };
};

/** The same once more, from what is stored beside an approval and nothing else: `null` where it still holds. */
export const recheckProof = async (
  statement: ApprovalStatement,
  proof: ApprovalProof,
): Promise<WrongSignature | null> => {
  const publicKey = bytesOfBase64url(proof.publicKey);
  if (publicKey === undefined) return 'signature-does-not-verify';
  const { relyingPartyId, origin } = proof;
  const isOurOrigin = (said: string): boolean => said === origin;
  const checked = await checkAssertion(
    { statement, publicKey, relyingPartyId, isOurOrigin },
    proof.assertion,
  );
  if (checked.kind === 'wrong') return checked.because;
  return checked.counter === proof.counter ? null : 'signature-does-not-verify';
};
