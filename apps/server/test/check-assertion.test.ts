import { describe, expect, it } from 'vitest';
import {
  approvalChallengeText,
  base64urlOf,
  signatureValidForMs,
  type Actor,
  type ApprovalStatement,
  type Assertion,
} from '@holdfast/operation';
import { recheckProof } from '../src/sign-in/check-assertion.ts';
import { assertionVerifier, isOurPage, type SigningPasskey } from '../src/sign-in/verify-assertion.ts';
import { SoftwareAuthenticator, type Use } from './software-authenticator.ts';

const nowMs = Date.parse('2026-03-01T12:00:00.000Z');
const ben: Actor = { id: 'user-ben', name: 'Ben', role: 'approver', assistant: false, via: 'session' };
const statement: ApprovalStatement = {
  organisationId: 'org-1',
  approverId: ben.id,
  operationId: '0196f1c0-0000-7000-8000-000000000001',
  fingerprint: 'a'.repeat(64),
  seen: { refundable: { minor: 4_999, currency: 'EUR' }, orderVersion: 3 },
  commandId: '0196f1c0-0000-7000-8000-000000000002',
  signedAt: '2026-03-01T06:00:00.000Z',
  expiresAt: '2026-03-08T06:00:00.000Z',
};

const signedBy = (
  authenticator: SoftwareAuthenticator,
  said: ApprovalStatement = statement,
  use: Partial<Use> = {},
): Assertion => {
  const { response } = authenticator.get({ challenge: approvalChallengeText(said), ...use });
  const { signedAt, expiresAt } = said;
  return { credentialId: authenticator.credentialId, ...response, signedAt, expiresAt };
};

const authenticator = new SoftwareAuthenticator({ counts: true });
const passkey: SigningPasskey = {
  userId: ben.id,
  publicKey: authenticator.publicKey,
  rpId: 'localhost',
  revokedAt: null,
};

const verify = (assertion: Assertion, found: SigningPasskey | undefined = passkey, said = statement) =>
  assertionVerifier({
    publicOrigin: 'http://localhost:4780',
    findPasskey: (id) => Promise.resolve(id === authenticator.credentialId ? found : undefined),
    nowMs: () => nowMs,
  })(ben, said, assertion);

const expiring = (expiresAt: string): ApprovalStatement => ({ ...statement, expiresAt });
const flipped = (text: string): string =>
  text.endsWith('A') ? `${text.slice(0, -1)}Q` : `${text.slice(0, -1)}A`;

describe('an assertion of an approval', () => {
  // Red when: a good one is refused, or what proves it is not kept as it was.
  it('is good when its own person’s passkey signed exactly this, and comes with what proves it', async () => {
    const assertion = signedBy(authenticator, statement, { counter: 7 });
    expect(await verify(assertion)).toEqual({
      kind: 'signed',
      proof: {
        assertion,
        publicKey: base64urlOf(authenticator.publicKey),
        relyingPartyId: 'localhost',
        origin: 'http://localhost:4780',
        counter: 7,
      },
    });
  });

  const bad: readonly (readonly [string, string, Partial<Use>])[] = [
    ['another challenge', 'another-decision', { challenge: base64urlOf(new Uint8Array(32)) }],
    ['a registration', 'another-decision', { type: 'webauthn.create' }],
    ['a foreign page', 'another-origin', { origin: 'https://evil.example' }],
    ['another port', 'another-origin', { origin: 'http://localhost:4781' }],
    ['a frame in a foreign page', 'another-origin', { crossOrigin: true }],
    ['another relying party', 'another-origin', { rpId: 'example.com' }],
    ['nobody present', 'person-not-verified', { userPresent: false }],
    ['nobody verified', 'person-not-verified', { userVerified: false }],
  ];
  // Red when: the check that this row names is left out.
  it.each(bad)('with %s is %s', async (_what, because, use) => {
    expect(await verify(signedBy(authenticator, statement, use))).toEqual({ kind: 'wrong', because });
  });

  // Red when: the passkey's owner, its revocation or whether it is known is not looked at.
  it('is wrong by a passkey that is unknown, another person’s or revoked', async () => {
    const assertion = signedBy(authenticator);
    const because = async (found: SigningPasskey | undefined) => {
      const verdict = await verify(assertion, found);
      return verdict.kind === 'wrong' ? verdict.because : verdict.kind;
    };
    expect(await because({ ...passkey, userId: 'user-cleo' })).toBe('another-persons-passkey');
    expect(await because({ ...passkey, revokedAt: new Date(nowMs - 1) })).toBe('revoked-passkey');
    expect(await verify({ ...assertion, credentialId: 'AAAA' })).toMatchObject({
      because: 'unknown-passkey',
    });
  });

  // Red when: an expired one is taken, or one that was made to last for years.
  it('is wrong once it has expired, and when it was made to last too long', async () => {
    const late = expiring(new Date(nowMs).toISOString());
    expect(await verify(signedBy(authenticator, late), passkey, late)).toMatchObject({ because: 'expired' });
    const long = expiring(new Date(nowMs + 2 * signatureValidForMs).toISOString());
    expect(await verify(signedBy(authenticator, long), passkey, long)).toMatchObject({
      because: 'expires-too-late',
    });
  });

  // Red when: the signature itself is not verified, or another key's verifies.
  it('is wrong when a byte of it was changed or another key made it', async () => {
    const assertion = signedBy(authenticator);
    for (const changed of [
      { ...assertion, signature: flipped(assertion.signature) },
      { ...assertion, signature: 'AAAA' },
      { ...assertion, authenticatorData: assertion.authenticatorData.slice(0, 8) },
      { ...assertion, clientDataJSON: 'AAAA' },
    ]) {
      expect(await verify(changed)).toMatchObject({ kind: 'wrong' });
    }
    const other = new SoftwareAuthenticator();
    const forged = { ...signedBy(other), credentialId: assertion.credentialId };
    expect(await verify(forged)).toEqual({ kind: 'wrong', because: 'signature-does-not-verify' });
  });
});

describe('a stored proof', () => {
  // Red when: any one part of the proof or the statement is not part of what is checked.
  it('holds from what is stored alone, and no longer once any part was changed', async () => {
    const verdict = await verify(signedBy(authenticator, statement, { counter: 9 }));
    if (verdict.kind !== 'signed') throw new Error('it has to be good');
    const { proof } = verdict;
    expect(await recheckProof(statement, proof)).toBe(null);
    const statements: Partial<ApprovalStatement>[] = [
      { organisationId: 'org-2' },
      { approverId: 'user-cleo' },
      { operationId: statement.commandId },
      { fingerprint: 'b'.repeat(64) },
      { seen: null },
      { commandId: statement.operationId },
      { signedAt: '2026-03-01T06:00:00.001Z' },
      { expiresAt: '2026-03-08T06:00:00.001Z' },
    ];
    for (const change of statements) {
      expect(await recheckProof({ ...statement, ...change }, proof)).toBe('another-decision');
    }
    const other = base64urlOf(new SoftwareAuthenticator().publicKey);
    for (const change of [
      { publicKey: other },
      { publicKey: '!' },
      { relyingPartyId: 'example.com' },
      { origin: 'http://127.0.0.1:4780' },
      { counter: 8 },
    ]) {
      expect(await recheckProof(statement, { ...proof, ...change })).not.toBe(null);
    }
  });
});

describe('pages of ours', () => {
  // Red when: a public origin takes loopback for its own, or the loopback names stop standing for one another.
  it.each([
    ['https://refunds.example', 'https://refunds.example', true],
    ['https://refunds.example', 'http://refunds.example', false],
    ['https://refunds.example', 'http://localhost:4780', false],
    ['http://localhost:4780', 'http://127.0.0.1:4780', true],
    ['http://localhost:4780', 'https://localhost:4780', false],
    ['http://localhost:4780', 'http://localhost:4780/x', false],
    ['http://localhost:4780', 'nonsense', false],
  ])('at %s: %s is %s', (own, said, ours) => {
    expect(isOurPage(own)(said)).toBe(ours);
  });
});
