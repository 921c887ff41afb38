import {
  approvalChallenge,
  base64urlOf,
  bytesOfBase64url,
  mintOperationId,
  signatureRequired,
  signatureValidForMs,
  type Amount,
  type Assertion,
  type Approve,
} from '@holdfast/operation';
import type { SigningKeys, SigningPasskey } from './signing-keys.ts';

/** What the approver has on the screen. */
export type ToSign = {
  readonly operationId: string;
  readonly fingerprint: string;
  readonly amount: Amount;
  readonly seen: Approve['seen'] | null;
};

/** Why nothing was signed: the person let go of it, no passkey was ever registered, or none works on this page. */
export type NotSigned = 'cancelled' | 'no-passkey' | 'not-here';

export type Signed =
  | { readonly kind: 'signed'; readonly commandId: string; readonly assertion: Assertion }
  /** The policy lets it go without. */
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'stopped'; readonly because: NotSigned; readonly mayGoUnsigned: boolean };

/** The browser, as far as signing needs it. */
export type SigningBrowser = {
  readonly hostname: string;
  /** `undefined` where there are no passkeys. Throws as `navigator.credentials.get` does. */
  readonly get: ((options: PublicKeyCredentialRequestOptions) => Promise<Credential | null>) | undefined;
  readonly nowMs: () => number;
  readonly random: (length: number) => Uint8Array;
};

const worksAt = (hostname: string, { relyingPartyId }: SigningPasskey): boolean =>
  hostname === relyingPartyId || hostname.endsWith(`.${relyingPartyId}`);

const descriptorOf = ({ credentialId, transports }: SigningPasskey): PublicKeyCredentialDescriptor[] => {
  const id = bytesOfBase64url(credentialId);
  return id === undefined
    ? []
    : [{ type: 'public-key', id, transports: transports as AuthenticatorTransport[] }];
};

const textOf = (bytes: ArrayBuffer): string => base64urlOf(new Uint8Array(bytes));

const assertionOf = (
  credential: Credential | null,
  times: Pick<Assertion, 'signedAt' | 'expiresAt'>,
): Assertion | null => {
  if (credential === null) return null;
  const { rawId, response } = credential as PublicKeyCredential;
  const { authenticatorData, clientDataJSON, signature } = response as AuthenticatorAssertionResponse;
  return {
    credentialId: textOf(rawId),
    authenticatorData: textOf(authenticatorData),
    clientDataJSON: textOf(clientDataJSON),
    signature: textOf(signature),
    ...times,
  };
};

/**
 * Has the person's passkey sign exactly this approval. The challenge is computed here, from what is on the screen, so
 * it needs no connection; the command's ID is minted first, being part of what is signed.
 */
export const signApproval = async (
  browser: SigningBrowser,
  keys: SigningKeys | null,
  { operationId, fingerprint, amount, seen = null }: ToSign,
): Promise<Signed> => {
  // Never learned: the server knows the policy, and says so where a signature is missing.
  if (keys === null) return { kind: 'unsigned' };
  const mayGoUnsigned = !signatureRequired(keys, amount);
  const without = (because: NotSigned): Signed =>
    mayGoUnsigned ? { kind: 'unsigned' } : { kind: 'stopped', because, mayGoUnsigned };
  if (keys.passkeys.length === 0) return without('no-passkey');
  const usable = keys.passkeys.filter((passkey) => worksAt(browser.hostname, passkey));
  const [first] = usable;
  if (browser.get === undefined || first === undefined) return without('not-here');

  const nowMs = browser.nowMs();
  const commandId = mintOperationId(nowMs, browser.random(10));
  const signedAt = new Date(nowMs).toISOString();
  const expiresAt = new Date(nowMs + signatureValidForMs).toISOString();
  const { organisationId, approverId } = keys;
  const statement = {
    organisationId,
    approverId,
    operationId,
    fingerprint,
    seen,
    commandId,
    signedAt,
    expiresAt,
  };
  try {
    const credential = await browser.get({
      challenge: approvalChallenge(statement),
      rpId: first.relyingPartyId,
      allowCredentials: usable.flatMap(descriptorOf),
      userVerification: 'required',
    });
    const assertion = assertionOf(credential, { signedAt, expiresAt });
    if (assertion === null) return { kind: 'stopped', because: 'cancelled', mayGoUnsigned };
    return { kind: 'signed', commandId, assertion };
  } catch (error) {
    // Browsers say this of a person who let go, of a wait that ended, and of a device without that passkey.
    const isLetGo = error instanceof DOMException && ['NotAllowedError', 'AbortError'].includes(error.name);
    return { kind: 'stopped', because: isLetGo ? 'cancelled' : 'not-here', mayGoUnsigned };
  }
};

/** This very browser. */
export const signingBrowser = (nowMs: () => number): SigningBrowser => ({
  hostname: globalThis.location.hostname,
  get:
    'PublicKeyCredential' in globalThis ? (publicKey) => navigator.credentials.get({ publicKey }) : undefined,
  nowMs,
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
});
