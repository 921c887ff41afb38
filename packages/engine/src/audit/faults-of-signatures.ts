import { hashOfText, type AuditData, type ChainFault } from './audit-chain.ts';

/** An approval as it is stored. */
export type StoredApprovalRow = {
  readonly commandId: string;
  readonly actorId: string;
  readonly fingerprint: string;
  readonly signed: boolean;
};

/** The proof beside an approval: what it speaks of, its hash as it is now, and what its verification came to. */
export type RecheckedProof = {
  readonly commandId: string;
  readonly approverId: string;
  readonly fingerprint: string;
  readonly publicKey: string;
  readonly hash: string;
  /** When it was taken in, ISO 8601 UTC. */
  readonly acceptedAt: string;
  /** `null`: it verifies, from what is stored alone. */
  readonly wrong: string | null;
};

type Entry = {
  readonly sequence: number;
  readonly at: string;
  readonly type: string;
  readonly commandId: string | null;
  readonly data: AuditData;
};

const isApproval = ({ type }: Entry): boolean => type === 'approve' || type === 'approve-partly';

const faultOfProof = (
  row: StoredApprovalRow,
  proof: RecheckedProof | undefined,
  entry: Entry | undefined,
): string | null => {
  // The policy's own approval has no command to be found by, and is never signed.
  const data: AuditData = entry?.data ?? {};
  if (row.signed !== (data['signed'] ?? false)) return 'an approval is not signed as it was given';
  if (!row.signed) return proof === undefined ? null : 'an unsigned approval has a signature beside it';
  if (proof === undefined) return 'the signature of a signed approval is gone';
  if (hashOfText(proof.publicKey) !== data['passkey'] || proof.hash !== data['signature']) {
    return 'the signature of an approval, or the public key kept with it, was changed';
  }
  if (proof.approverId !== row.actorId || proof.fingerprint !== row.fingerprint) {
    return 'the signature beside an approval is of another approver or another operation';
  }
  if (proof.acceptedAt !== entry?.at)
    return 'the time at which the signature of an approval came was changed';
  return proof.wrong === null ? null : `the signature of an approval does not verify (${proof.wrong})`;
};

/**
 * What is wrong with the signatures of one operation's approvals, beside the entries that were chained when these were
 * given. Whether the approvals themselves are what was given is the chain's own check.
 */
export const faultsOfSignatures = (
  operationId: string,
  entries: readonly Entry[],
  rows: readonly StoredApprovalRow[],
  proofs: readonly RecheckedProof[],
): readonly ChainFault[] => {
  const faults: ChainFault[] = [];
  const fault = (sequence: number, because: string): void => {
    faults.push({ operationId, chain: `operation ${operationId}`, sequence, because });
  };
  const given = new Map(entries.filter(isApproval).map((entry) => [entry.commandId, entry]));
  for (const row of rows) {
    const entry = given.get(row.commandId);
    const proof = proofs.find(({ commandId }) => commandId === row.commandId);
    const because = faultOfProof(row, proof, entry);
    if (because !== null) fault(entry?.sequence ?? 0, because);
  }
  for (const { commandId } of proofs) {
    if (rows.some((row) => row.commandId === commandId)) continue;
    fault(given.get(commandId)?.sequence ?? 0, 'a signature stands beside no approval');
  }
  return faults;
};
