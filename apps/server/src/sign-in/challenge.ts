import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a challenge may be answered for. One made for a purpose is worth nothing for another. */
export type ChallengePurpose = 'sign-in' | 'register' | 'confirm';

/** For so long a person may look for their finger, their phone or their key. */
const challengeValidForMs = 5 * 60_000;
const endBytes = 8;
const randomPartBytes = 16;

/**
 * Challenges that any process on this database recognises as its own: sealed with their purpose, the session they
 * were made for and their end. Nothing is written for strangers who only ask for one; the spent ones are written down.
 */
export type Challenges = {
  /** @param binding the session's ID, empty before there is one */
  readonly make: (purpose: ChallengePurpose, binding: string) => string;
  /** When it ends. `undefined`: not ours, not for this, or over. */
  readonly endOf: (challenge: string, purpose: ChallengePurpose, binding: string) => Date | undefined;
};

export const challengesWith = (sharedKey: Uint8Array, nowMs: () => number): Challenges => {
  const key = createHmac('sha256', sharedKey).update('holdfast passkey challenges').digest();
  const seal = (purpose: ChallengePurpose, binding: string, content: Uint8Array): Buffer =>
    createHmac('sha256', key).update(`${purpose}\0${binding}\0`).update(content).digest();
  return {
    make: (purpose, binding) => {
      const content = Buffer.concat([Buffer.alloc(endBytes), randomBytes(randomPartBytes)]);
      content.writeBigUInt64BE(BigInt(nowMs() + challengeValidForMs));
      return Buffer.concat([content, seal(purpose, binding, content)]).toString('base64url');
    },
    endOf: (challenge, purpose, binding) => {
      const bytes = Buffer.from(challenge, 'base64url');
      // One spelling alone, or a spent challenge could be written another way.
      if (bytes.toString('base64url') !== challenge) return undefined;
      const content = bytes.subarray(0, endBytes + randomPartBytes);
      const expected = seal(purpose, binding, content);
      const given = bytes.subarray(content.length);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const endsAtMs = Number(content.readBigUInt64BE(0));
      return endsAtMs > nowMs() ? new Date(endsAtMs) : undefined;
    },
  };
};
