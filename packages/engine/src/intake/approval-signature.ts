import {
  canonicalJson,
  type Actor,
  type ApprovalStatement,
  type Assertion,
  type Command,
  type JsonValue,
  type Problem,
} from '@holdfast/operation';
import type { AuditData } from '../audit/audit-chain.ts';
import { hashOfText } from '../audit/audit-chain.ts';
import { problemOf } from './problem.ts';

type ApproveCommand = Extract<Command, { type: 'approve' }>;

/** What a good assertion was verified against, kept beside it so that it can be verified again from here alone. */
export type SigningKey = {
  /** COSE key as base64url, as it was when the approval was accepted. */
  readonly publicKey: string;
  readonly relyingPartyId: string;
  readonly origin: string;
  /** The authenticator's signature counter; 0 where it has none. */
  readonly counter: number;
};

/** An assertion with all that proves it. Texts exactly as they came. */
export type ApprovalProof = { readonly assertion: Assertion } & SigningKey;

/** Everything that can be wrong with an assertion. */
export const wrongSignatures = [
  'not-a-person',
  'unknown-passkey',
  'another-persons-passkey',
  'revoked-passkey',
  'another-decision',
  'another-origin',
  'person-not-verified',
  'signature-does-not-verify',
  'expired',
  'expires-too-late',
  'counter-repeated',
] as const;
export type WrongSignature = (typeof wrongSignatures)[number];

/** What came of verifying an approval's assertion, before anything is locked. */
export type SignatureVerdict =
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'signed'; readonly proof: ApprovalProof }
  | { readonly kind: 'wrong'; readonly because: WrongSignature };

export const unsigned: SignatureVerdict = { kind: 'unsigned' };

/** The port by which the engine has an assertion verified. `now` is the time at which it is to be accepted. */
export type VerifyAssertion = (
  actor: Actor,
  statement: ApprovalStatement,
  assertion: Assertion,
) => Promise<Exclude<SignatureVerdict, { kind: 'unsigned' }>>;

/** What the passkey must have signed, from who sends the command and from what it says. */
export const statementOf = (
  organisationId: string,
  actor: Actor,
  command: ApproveCommand,
  assertion: Assertion,
): ApprovalStatement => ({
  organisationId,
  approverId: actor.id,
  operationId: command.operationId,
  fingerprint: command.fingerprint,
  seen: command.seen ?? null,
  commandId: command.commandId,
  signedAt: assertion.signedAt,
  expiresAt: assertion.expiresAt,
});

const sentences: Readonly<Record<WrongSignature, string>> = {
  'not-a-person':
    'Only a person who is signed in signs an approval; a key’s approval cannot carry a signature.',
  'unknown-passkey': 'The passkey that signed this is not known here. Approve it again with one of yours.',
  'another-persons-passkey':
    'The passkey that signed this is another person’s. Approve it with one of yours.',
  'revoked-passkey': 'The passkey that signed this was revoked. Approve it again with another one.',
  'another-decision':
    'The passkey signed something else than this approval: another operation, amount, person, organisation, decision or command.',
  'another-origin': 'It was not signed on a page of this server.',
  'person-not-verified':
    'The passkey did not check who was using it. Approve it again with its fingerprint, face or PIN.',
  'signature-does-not-verify': 'The signature is not that of the passkey it names.',
  expired: 'The signature has expired. If it was made just now, check the device’s clock. Approve it again.',
  'expires-too-late':
    'The signature was made to last too long. Check the device’s clock and approve it again.',
  'counter-repeated':
    'The passkey showed a count that another approval has used, as a copy of it would. Have it revoked.',
};

/** A wrong assertion is refused for good, as a field that cannot be used: it never counts as no assertion. */
export const problemOfSignature = (command: ApproveCommand, because: WrongSignature): Problem => {
  const message = sentences[because];
  return problemOf('invalid', message, {
    operationId: command.operationId,
    commandId: command.commandId,
    issues: [{ path: 'assertion', message }],
  });
};

/** One hash over the assertion and all that it was verified against. */
export const hashOfProof = ({
  assertion,
  publicKey,
  relyingPartyId,
  origin,
  counter,
}: ApprovalProof): string =>
  hashOfText(
    canonicalJson({
      assertion: { ...assertion },
      publicKey,
      relyingPartyId,
      origin,
      counter,
    } satisfies JsonValue),
  );

/** What the audit of an approval says of its signature: whoever changes the stored proof has to change the chain. */
export const auditOfSignature = (verdict: SignatureVerdict): AuditData =>
  verdict.kind === 'signed'
    ? {
        signed: true,
        passkey: hashOfText(verdict.proof.publicKey),
        signature: hashOfProof(verdict.proof),
      }
    : { signed: false };
