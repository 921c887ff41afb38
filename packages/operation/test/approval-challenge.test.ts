import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  approvalChallenge,
  approvalChallengeText,
  base64urlOf,
  bytesOfBase64url,
  deviceClockAheadMs,
  signatureTimeVerdict,
  signatureValidForMs,
  type ApprovalStatement,
} from '../src/operation.ts';

const statement: ApprovalStatement = {
  organisationId: 'org-1',
  approverId: 'user-ben',
  operationId: '0196f1c0-0000-7000-8000-000000000001',
  fingerprint: 'a'.repeat(64),
  seen: { refundable: { minor: 4_999, currency: 'EUR' }, orderVersion: 3 },
  commandId: '0196f1c0-0000-7000-8000-000000000002',
  signedAt: '2026-01-01T08:00:00.000Z',
  expiresAt: '2026-01-08T08:00:00.000Z',
};

describe('the challenge of an approval', () => {
  // Red when: the domain, the canonical form or the hash changes: what was signed years ago must still verify.
  test('is the same for ever', () => {
    expect(approvalChallengeText(statement)).toBe('bw0KT8BCaKGRdo0cXVnlQl3Tkev7fYJPBfrtieqXjm0');
    expect(approvalChallenge(statement)).toHaveLength(32);
  });

  const others: readonly (readonly [string, Partial<ApprovalStatement>])[] = [
    ['organisation', { organisationId: 'org-2' }],
    ['approver', { approverId: 'user-cleo' }],
    ['operation', { operationId: '0196f1c0-0000-7000-8000-000000000009' }],
    ['fingerprint', { fingerprint: `b${'a'.repeat(63)}` }],
    ['refundable', { seen: { refundable: { minor: 4_998, currency: 'EUR' }, orderVersion: 3 } }],
    ['currency', { seen: { refundable: { minor: 4_999, currency: 'USD' }, orderVersion: 3 } }],
    ['order version', { seen: { refundable: { minor: 4_999, currency: 'EUR' }, orderVersion: 4 } }],
    ['nothing seen', { seen: null }],
    ['command', { commandId: '0196f1c0-0000-7000-8000-000000000003' }],
    ['time of signing', { signedAt: '2026-01-01T08:00:00.001Z' }],
    ['expiry', { expiresAt: '2026-01-08T08:00:00.001Z' }],
  ];
  // Red when: that part is left out of the statement's canonical JSON.
  test.each(others)('is another one for another %s', (_what, change) => {
    expect(approvalChallengeText({ ...statement, ...change })).not.toBe(approvalChallengeText(statement));
  });

  // Red when: an expiry equal to now is still good, one that cannot be read is, or one set for years ahead is.
  test('is good until it expires, and no further ahead than a device’s clock may be', () => {
    const expiresAt = Date.parse(statement.expiresAt);
    expect(signatureTimeVerdict(statement.expiresAt, expiresAt - 1)).toBe('good');
    expect(signatureTimeVerdict(statement.expiresAt, expiresAt)).toBe('expired');
    expect(signatureTimeVerdict('never', expiresAt)).toBe('expired');
    const most = signatureValidForMs + deviceClockAheadMs;
    expect(signatureTimeVerdict(statement.expiresAt, expiresAt - most)).toBe('good');
    expect(signatureTimeVerdict(statement.expiresAt, expiresAt - most - 1)).toBe('too-far');
  });
});

describe('bytes as text', () => {
  // Red when: a bit is lost at any length, or a second text stands for the same bytes.
  test('are read back as they were, and have one text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = base64urlOf(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64url'));
        expect(bytesOfBase64url(text)).toEqual(Uint8Array.from(bytes));
      }),
    );
    for (const text of ['A', 'AB', 'AAB', 'AA==', 'A+AA', 'A AA'])
      expect(bytesOfBase64url(text)).toBe(undefined);
  });
});
