import { and, asc, eq, gt, inArray } from 'drizzle-orm';
import type { ApprovalStatement } from '@holdfast/operation';
import type { ChainFault } from '../audit/audit-chain.ts';
import { faultsOfSignatures, type RecheckedProof } from '../audit/faults-of-signatures.ts';
import { hashOfProof, type ApprovalProof, type WrongSignature } from '../intake/approval-signature.ts';
import type { InOrganisation, OrganisationTransaction } from './connection.ts';
import { lockOperation } from './change-operation.ts';
import { approvals, approvalSignatures, audit, operations, type ApprovalSignatureRow } from './schema.ts';
import { proofOfRow } from './signature-store.ts';

/** Verifies a stored proof once more, from its bytes alone: `null` where it holds. */
export type RecheckProof = (
  statement: ApprovalStatement,
  proof: ApprovalProof,
) => Promise<WrongSignature | null>;

export type SignatureVerification = { readonly approvals: number; readonly signatures: number };

const batch = 200;
const nilId = '00000000-0000-0000-0000-000000000000';

const recheck = async (row: ApprovalSignatureRow, check: RecheckProof): Promise<RecheckedProof> => {
  const { statement, proof } = proofOfRow(row);
  return {
    commandId: row.commandId,
    approverId: row.approverId,
    fingerprint: row.fingerprint,
    publicKey: row.publicKey,
    acceptedAt: row.acceptedAt.toISOString(),
    hash: hashOfProof(proof),
    wrong: await check(statement, proof),
  };
};

const read = async (tx: OrganisationTransaction, ids: readonly string[]) => {
  const wanted = [nilId, ...ids];
  const [entries, rows, signatures] = await Promise.all([
    tx.db
      .select()
      .from(audit)
      .where(and(eq(audit.organisationId, tx.organisationId), inArray(audit.operationId, wanted))),
    tx.db
      .select()
      .from(approvals)
      .where(and(eq(approvals.organisationId, tx.organisationId), inArray(approvals.operationId, wanted))),
    tx.db
      .select()
      .from(approvalSignatures)
      .where(
        and(
          eq(approvalSignatures.organisationId, tx.organisationId),
          inArray(approvalSignatures.operationId, wanted),
        ),
      ),
  ]);
  return { entries, rows, signatures };
};

const faultsIn = async (
  { entries, rows, signatures }: Awaited<ReturnType<typeof read>>,
  operationId: string,
  check: RecheckProof,
): Promise<readonly ChainFault[]> => {
  const own = <Row extends { readonly operationId: string }>(all: readonly Row[]): readonly Row[] =>
    all.filter((row) => row.operationId === operationId);
  const proofs = await Promise.all(own(signatures).map((row) => recheck(row, check)));
  const given = own(entries).map((entry) => ({ ...entry, at: entry.at.toISOString() }));
  return faultsOfSignatures(operationId, given, own(rows), proofs);
};

/**
 * Verifies every stored signature of one organisation once more: with the public key kept beside it, over what the
 * approval's own rows say, and against the entry that was chained when it was given.
 * @param tell called for each fault, as it is found
 */
export const verifySignatures = async (
  inOrganisation: InOrganisation,
  organisationId: string,
  check: RecheckProof,
  tell: (fault: ChainFault) => void,
): Promise<SignatureVerification> => {
  let after: string | null = nilId;
  const seen = { approvals: 0, signatures: 0 };
  while (after !== null) {
    const from: string = after;
    const { ids, found } = await inOrganisation(organisationId, async (tx) => {
      const some = await tx.db
        .select({ id: operations.id })
        .from(operations)
        .where(and(eq(operations.organisationId, organisationId), gt(operations.id, from)))
        .orderBy(asc(operations.id))
        .limit(batch);
      const of = some.map(({ id }) => id);
      return { ids: of, found: await read(tx, of) };
    });
    seen.approvals += found.rows.length;
    seen.signatures += found.signatures.length;
    after = ids.length < batch ? null : (ids.at(-1) ?? null);
    for (const id of ids) {
      if ((await faultsIn(found, id, check)).length === 0) continue;
      // Once more under the operation's lock: what somebody was changing just now is no fault.
      const again = await inOrganisation(organisationId, async (tx) => {
        await lockOperation(tx, id);
        return read(tx, [id]);
      });
      for (const fault of await faultsIn(again, id, check)) tell(fault);
    }
  }
  return seen;
};
