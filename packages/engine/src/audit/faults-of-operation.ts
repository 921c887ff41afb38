import type { OperationState } from '@holdfast/operation';
import { chainOfOperation, faultsOfChain, type AuditEntry, type ChainFault } from './audit-chain.ts';

/** An operation's row, as far as its audit speaks of it. */
export type AuditedOperation = {
  readonly id: string;
  readonly state: OperationState;
  readonly version: number;
  /** As stored with the row. */
  readonly fingerprint: string | null;
  /** What the row's own contents would be signed as, for each account it may have been proposed for. */
  readonly fingerprintsNow: readonly string[];
};

export type StoredEntry = AuditEntry & { readonly previousHash: string; readonly hash: string };

/**
 * What is wrong with one operation's history, alone and beside the operation itself. A cut tail shows by the row that
 * went on without it; whoever sets the row back as well is found out only by a head that is kept elsewhere.
 */
export const faultsOfOperation = (
  operation: AuditedOperation,
  entries: readonly StoredEntry[],
): readonly ChainFault[] => {
  const fault = (sequence: number, because: string): ChainFault => ({
    operationId: operation.id,
    chain: chainOfOperation(operation.id),
    sequence,
    because,
  });
  const [first] = entries;
  const last = entries.at(-1);
  if (first === undefined || last === undefined) return [fault(0, 'it has no history at all')];
  const faults = [...faultsOfChain(entries)];
  if (last.state !== operation.state || last.version > operation.version) {
    faults.push(
      fault(last.sequence, `it ends with ${last.state}, while the operation is ${operation.state}`),
    );
  } else if (last.version < operation.version && operation.state !== 'approved') {
    // What waits in `approved` also changes, without an entry of its own, when a hold begins or ends.
    faults.push(fault(last.sequence, 'the operation has changed since its last entry'));
  }
  const proposed = first.type === 'propose' ? first.data['fingerprint'] : null;
  if (proposed !== operation.fingerprint) {
    faults.push(fault(first.sequence, 'the operation has another fingerprint than was proposed'));
  } else if (operation.fingerprint !== null && !operation.fingerprintsNow.includes(operation.fingerprint)) {
    faults.push(
      fault(
        first.sequence,
        'the operation is not what was proposed: its amount, order or another part was changed',
      ),
    );
  }
  return faults;
};
