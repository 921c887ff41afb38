import type { ApprovalStatement, Command } from '@holdfast/operation';
import { statementOf, type ApprovalProof, type SignatureVerdict } from '../intake/approval-signature.ts';
import type { Principal } from '../engine-interface.ts';
import type { OrganisationTransaction } from './connection.ts';
import type { ApprovalSignatureRow } from './schema.ts';

type ApproveCommand = Extract<Command, { type: 'approve' }>;

/**
 * The passkey lives, and does until this commits: whoever revokes it meanwhile waits. A counting one shows each count
 * once; what another approval carried already is a copy's.
 */
export const judgePasskey = async (
  tx: OrganisationTransaction,
  verdict: SignatureVerdict,
): Promise<SignatureVerdict> => {
  if (verdict.kind !== 'signed') return verdict;
  const { assertion, counter } = verdict.proof;
  const lives = await tx.ask(
    'select 1 from sign_in.passkey where credential_id = $1 and revoked_at is null for share',
    [assertion.credentialId],
  );
  if (lives.length === 0) return { kind: 'wrong', because: 'revoked-passkey' };
  if (counter === 0) return verdict;
  const used = await tx.ask(
    'select 1 from approval_signatures where org_id = $1 and credential_id = $2 and counter = $3',
    [tx.organisationId, assertion.credentialId, counter],
  );
  return used.length === 0 ? verdict : { kind: 'wrong', because: 'counter-repeated' };
};

/** Writes the proof together with its approval. */
export const recordSignature = (
  tx: OrganisationTransaction,
  who: Principal,
  command: ApproveCommand,
  proof: ApprovalProof,
): void => {
  const { assertion, publicKey, relyingPartyId, origin, counter } = proof;
  const said = statementOf(tx.organisationId, who.actor, command, assertion);
  tx.unsent.signatures.push({
    organisationId: tx.organisationId,
    operationId: said.operationId,
    commandId: said.commandId,
    approverId: said.approverId,
    fingerprint: said.fingerprint,
    seenRefundableMinor: said.seen?.refundable.minor ?? null,
    seenCurrency: said.seen?.refundable.currency ?? null,
    seenOrderVersion: said.seen?.orderVersion ?? null,
    signedAt: said.signedAt,
    expiresAt: said.expiresAt,
    credentialId: assertion.credentialId,
    authenticatorData: assertion.authenticatorData,
    clientDataJSON: assertion.clientDataJSON,
    signature: assertion.signature,
    publicKey,
    relyingPartyId,
    origin,
    counter,
    acceptedAt: tx.now,
  });
};

/** What was signed and by what, read back from its row. */
export const proofOfRow = (
  row: ApprovalSignatureRow,
): { readonly statement: ApprovalStatement; readonly proof: ApprovalProof } => ({
  statement: {
    organisationId: row.organisationId,
    approverId: row.approverId,
    operationId: row.operationId,
    fingerprint: row.fingerprint,
    seen:
      row.seenOrderVersion === null || row.seenRefundableMinor === null || row.seenCurrency === null
        ? null
        : {
            refundable: { minor: row.seenRefundableMinor, currency: row.seenCurrency },
            orderVersion: row.seenOrderVersion,
          },
    commandId: row.commandId,
    signedAt: row.signedAt,
    expiresAt: row.expiresAt,
  },
  proof: {
    assertion: {
      credentialId: row.credentialId,
      authenticatorData: row.authenticatorData,
      clientDataJSON: row.clientDataJSON,
      signature: row.signature,
      signedAt: row.signedAt,
      expiresAt: row.expiresAt,
    },
    publicKey: row.publicKey,
    relyingPartyId: row.relyingPartyId,
    origin: row.origin,
    counter: row.counter,
  },
});
