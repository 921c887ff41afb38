import { approvalChallenge, bytesOfBase64url, signatureValidForMs } from '@holdfast/operation';
import { describe, expect, it } from 'vitest';
import { signApproval, type SigningBrowser, type ToSign } from './sign-approval.ts';
import { readSigningKeys, type SigningKeys } from './signing-keys.ts';

const nowMs = Date.parse('2026-03-01T06:00:00.000Z');
const keys: SigningKeys = {
  organisationId: 'org-1',
  approverId: 'user-ben',
  signatureRequired: { above: [{ minor: 10_000, currency: 'EUR' }] },
  passkeys: [{ credentialId: 'Y3JlZA', relyingPartyId: 'refunds.example', transports: ['internal'] }],
};
const small: ToSign = {
  operationId: '0196f1c0-0000-7000-8000-000000000001',
  fingerprint: 'a'.repeat(64),
  amount: { minor: 10_000, currency: 'EUR' },
  seen: { refundable: { minor: 10_000, currency: 'EUR' }, orderVersion: 3 },
};
const large: ToSign = { ...small, amount: { minor: 10_001, currency: 'EUR' } };

const asked: PublicKeyCredentialRequestOptions[] = [];
const bytes = (text: string): ArrayBuffer => (bytesOfBase64url(text) ?? new Uint8Array()).buffer;
const credential = {
  rawId: bytes('Y3JlZA'),
  response: {
    authenticatorData: bytes('YXV0aA'),
    clientDataJSON: bytes('Y2xpZW50'),
    signature: bytes('c2ln'),
  },
} as unknown as Credential;

const browser = (changes: Partial<SigningBrowser> = {}): SigningBrowser => ({
  hostname: 'refunds.example',
  get: (options) => {
    asked.push(options);
    return Promise.resolve(credential);
  },
  nowMs: () => nowMs,
  random: (length) => new Uint8Array(length),
  ...changes,
});
const failing = (name: string): SigningBrowser =>
  browser({ get: () => Promise.reject(new DOMException('', name)) });

describe('signing an approval on the device', () => {
  // Red when: what is signed is not exactly what is then sent: the ID, the times or what was seen.
  it('has the passkey sign the challenge of exactly this approval, person verified', async () => {
    asked.length = 0;
    const signed = await signApproval(browser(), keys, small);
    if (signed.kind !== 'signed') throw new Error(signed.kind);
    const { commandId, assertion } = signed;
    expect(assertion).toEqual({
      credentialId: 'Y3JlZA',
      authenticatorData: 'YXV0aA',
      clientDataJSON: 'Y2xpZW50',
      signature: 'c2ln',
      signedAt: new Date(nowMs).toISOString(),
      expiresAt: new Date(nowMs + signatureValidForMs).toISOString(),
    });
    const { organisationId, approverId } = keys;
    const { operationId, fingerprint } = small;
    const { signedAt, expiresAt } = assertion;
    const seen = small.seen ?? null;
    expect(asked).toMatchObject([{ rpId: 'refunds.example', userVerification: 'required' }]);
    expect(asked[0]?.challenge).toEqual(
      approvalChallenge({
        organisationId,
        approverId,
        operationId,
        fingerprint,
        seen,
        commandId,
        signedAt,
        expiresAt,
      }),
    );
  });

  const none = { ...keys, passkeys: [] };
  const elsewhere = browser({ hostname: '127.0.0.1' });
  const cases = [
    ['nothing learned yet', browser(), null, large, { kind: 'unsigned' }],
    ['no passkey, none needed', browser(), none, small, { kind: 'unsigned' }],
    [
      'no passkey, one needed',
      browser(),
      none,
      large,
      { kind: 'stopped', because: 'no-passkey', mayGoUnsigned: false },
    ],
    ['none for this page, none needed', elsewhere, keys, small, { kind: 'unsigned' }],
    [
      'none for this page, one needed',
      elsewhere,
      keys,
      large,
      { kind: 'stopped', because: 'not-here', mayGoUnsigned: false },
    ],
    [
      'a browser without passkeys',
      browser({ get: undefined }),
      keys,
      large,
      { kind: 'stopped', because: 'not-here', mayGoUnsigned: false },
    ],
    [
      'let go, none needed',
      failing('NotAllowedError'),
      keys,
      small,
      { kind: 'stopped', because: 'cancelled', mayGoUnsigned: true },
    ],
    [
      'let go, one needed',
      failing('NotAllowedError'),
      keys,
      large,
      { kind: 'stopped', because: 'cancelled', mayGoUnsigned: false },
    ],
    [
      'trouble',
      failing('SecurityError'),
      keys,
      large,
      { kind: 'stopped', because: 'not-here', mayGoUnsigned: false },
    ],
  ] as const;
  // Red when: letting go of the passkey approves it all the same, or a needed signature is done without.
  it.each(cases)('with %s comes to what that allows', async (_what, from, known, approval, expected) => {
    expect(await signApproval(from, known, approval)).toEqual(expected);
  });

  // Red when: what cannot be read of storage or of the server is taken for a rule that lets everything go unsigned.
  it('reads nothing out of what is not its own', () => {
    expect(readSigningKeys(JSON.parse(JSON.stringify(keys)))).toEqual(keys);
    for (const raw of [
      null,
      'x',
      {},
      { ...keys, signatureRequired: 'sometimes' },
      { ...keys, passkeys: 'none' },
    ]) {
      expect(readSigningKeys(raw)).toBe(null);
    }
  });
});
