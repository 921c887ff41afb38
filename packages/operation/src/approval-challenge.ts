import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Amount } from './amount.ts';
import { base64urlOf } from './bytes-text.ts';
import { canonicalJson } from './canonical-json.ts';

/** Everything that a signed approval says. IDs only; the times are the very texts that travel and are stored. */
export type ApprovalStatement = {
  readonly organisationId: string;
  /** The approver's stable user ID, the same in every organisation. */
  readonly approverId: string;
  readonly operationId: string;
  readonly fingerprint: string;
  /** What was on the screen; `null` where nothing was said of it. */
  readonly seen: { readonly refundable: Amount; readonly orderVersion: number } | null;
  readonly commandId: string;
  readonly signedAt: string;
  readonly expiresAt: string;
};

/** What keeps these bytes from ever being anything else's: a sign-in, another version, another decision. */
const domain = 'holdfast approval v1';

/**
 * The challenge that a passkey signs: SHA-256 over the domain, a line break and the statement's canonical JSON. It is
 * computed from what is on the screen, so it needs no server, and it stands for this decision alone.
 */
export const approvalChallenge = (statement: ApprovalStatement): Uint8Array<ArrayBuffer> => {
  const { organisationId, approverId, operationId, fingerprint, seen, commandId, signedAt, expiresAt } =
    statement;
  const text = canonicalJson({
    organisationId,
    approverId,
    operationId,
    fingerprint,
    seen:
      seen === null
        ? null
        : {
            refundable: { minor: seen.refundable.minor, currency: seen.refundable.currency },
            orderVersion: seen.orderVersion,
          },
    decision: 'approve',
    commandId,
    signedAt,
    expiresAt,
  });
  return Uint8Array.from(sha256(utf8ToBytes(`${domain}\n${text}`)));
};

/** The challenge as it stands in the client data that was signed. */
export const approvalChallengeText = (statement: ApprovalStatement): string =>
  base64urlOf(approvalChallenge(statement));

/** How long a signature may be on its way: as long as a fresh organisation's proposals wait. */
export const signatureValidForMs = 7 * 24 * 60 * 60 * 1000;

/** How far a device's clock may be ahead before an expiry that it wrote is called too far away. */
export const deviceClockAheadMs = 24 * 60 * 60 * 1000;

/** Whether a signature may still be accepted at that time, or why not. */
export const signatureTimeVerdict = (expiresAt: string, nowMs: number): 'good' | 'expired' | 'too-far' => {
  const expiresAtMs = Date.parse(expiresAt);
  if (!(expiresAtMs > nowMs)) return 'expired';
  return expiresAtMs - nowMs > signatureValidForMs + deviceClockAheadMs ? 'too-far' : 'good';
};
