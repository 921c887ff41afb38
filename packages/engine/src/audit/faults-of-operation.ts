import type { OperationState } from '@holdfast/operation';
import {
  chainOfOperation,
  faultsOfChain,
  type AuditData,
  type AuditEntry,
  type ChainFault,
} from './audit-chain.ts';

/** An operation's row, as far as its audit speaks of it. */
export type AuditedOperation = {
  readonly id: string;
  readonly state: OperationState;
  readonly version: number;
  readonly proposedBy: string;
  readonly proposedPerson: string | null;
  readonly proposedRole: string | null;
  readonly proposedVia: string | null;
  readonly proposedPolicyVersion: number | null;
  /** As stored with the row. */
  readonly fingerprint: string | null;
  /** What the row's own contents would be signed as, for each account it may have been proposed for. */
  readonly fingerprintsNow: readonly string[];
};

export type StoredEntry = AuditEntry & { readonly previousHash: string; readonly hash: string };

/** An approval's row, as far as its audit speaks of it. Times are ISO 8601 UTC. */
export type AuditedApproval = {
  readonly commandId: string;
  readonly actorId: string;
  readonly person: string;
  readonly role: string;
  readonly via: string;
  readonly fingerprint: string;
  readonly policyVersion: number | null;
  readonly approvedAt: string;
  readonly voidedAt: string | null;
  readonly voidReason: string | null;
};

/** Everything that is known of one operation, its entries in order. */
export type Audited = {
  readonly operation: AuditedOperation;
  readonly entries: readonly StoredEntry[];
  readonly approvals: readonly AuditedApproval[];
};

/** One thing that can be wrong. It is given at least one entry. */
export type OperationCheck = (audited: Audited) => readonly ChainFault[];

export const operationFault = (operationId: string, sequence: number, because: string): ChainFault => ({
  operationId,
  chain: chainOfOperation(operationId),
  sequence,
  because,
});

const chainHolds: OperationCheck = ({ entries }) => faultsOfChain(entries);

/** A cut tail shows by the row that went on without it; whoever sets the row back too is found out by a seal. */
const endsAsTheOperationStands: OperationCheck = ({ operation, entries }) => {
  const last = entries.at(-1);
  if (last === undefined) return [];
  if (last.state !== operation.state || last.version > operation.version) {
    return [
      operationFault(
        operation.id,
        last.sequence,
        `it ends with ${last.state}, while the operation is ${operation.state}`,
      ),
    ];
  }
  // What waits in `approved` also changes, without an entry of its own, when a hold begins or ends.
  return last.version < operation.version && operation.state !== 'approved'
    ? [operationFault(operation.id, last.sequence, 'the operation has changed since its last entry')]
    : [];
};

/** What entries of older versions do not say is not compared. */
const saysOtherwise = (said: AuditData[string] | undefined, stored: string | number | null): boolean =>
  said !== undefined && said !== stored;

const proposedOtherwise = ({ data }: StoredEntry, operation: AuditedOperation): boolean =>
  saysOtherwise(data['person'], operation.proposedPerson) ||
  saysOtherwise(data['role'], operation.proposedRole) ||
  saysOtherwise(data['via'], operation.proposedVia) ||
  saysOtherwise(data['policyVersion'], operation.proposedPolicyVersion);

const isWhatWasProposed: OperationCheck = ({ operation, entries: [first] }) => {
  if (first === undefined) return [];
  const fault = (because: string) => [operationFault(operation.id, first.sequence, because)];
  const proposed = first.type === 'propose' ? first.data['fingerprint'] : null;
  if (proposed !== operation.fingerprint)
    return fault('the operation has another fingerprint than was proposed');
  if (first.type === 'propose' && first.actorId !== operation.proposedBy)
    return fault('the operation names another proposer than its history');
  if (first.type === 'propose' && proposedOtherwise(first, operation))
    return fault('who proposed it, in which role, how, or under which policy was changed');
  return operation.fingerprint !== null && !operation.fingerprintsNow.includes(operation.fingerprint)
    ? fault('the operation is not what was proposed: its amount, order or another part was changed')
    : [];
};

const isApproval = ({ type }: StoredEntry): boolean => type === 'approve' || type === 'approve-partly';

/** The one row that an entry speaks of. The policy's own approval has no command and stands under the operation's ID. */
const isGivenBy = (entry: StoredEntry, operationId: string, { commandId }: AuditedApproval): boolean =>
  entry.commandId === null
    ? entry.data['automatic'] === true && commandId === operationId
    : entry.commandId === commandId;

const differs = (entry: StoredEntry, approval: AuditedApproval): boolean =>
  entry.actorId !== approval.actorId ||
  entry.at !== approval.approvedAt ||
  saysOtherwise(entry.data['fingerprint'], approval.fingerprint) ||
  saysOtherwise(entry.data['person'], approval.person) ||
  saysOtherwise(entry.data['role'], approval.role) ||
  saysOtherwise(entry.data['via'], approval.via) ||
  saysOtherwise(entry.data['policyVersion'], approval.policyVersion);

const reasonOf: Readonly<Partial<Record<string, string>>> = {
  'send-back': 'sent back',
  withdraw: 'taken back',
};

/** Whether an approval's end is one that the history knows, and whether one that was ended still stands. */
const endedOtherwise = (
  entries: readonly StoredEntry[],
  given: StoredEntry,
  { voidedAt, voidReason, actorId }: AuditedApproval,
): boolean => {
  const later = entries.filter(({ sequence }) => sequence > given.sequence);
  if (voidedAt !== null)
    return !later.some(({ at, type }) => at === voidedAt && reasonOf[type] === voidReason);
  if (voidReason !== null) return true;
  return later.some(
    (entry) => entry.type === 'send-back' || (entry.type === 'withdraw' && entry.actorId === actorId),
  );
};

const approvalsAreThoseGiven: OperationCheck = ({ operation, entries, approvals }) => {
  const fault = (sequence: number, because: string) => operationFault(operation.id, sequence, because);
  const faults: ChainFault[] = [];
  const unmet = new Set(approvals);
  for (const entry of entries.filter(isApproval)) {
    const approval = approvals.find((row) => isGivenBy(entry, operation.id, row));
    if (approval === undefined) {
      // The oldest entries do not say whose approval it was, and some of them left no row.
      if ('person' in entry.data) faults.push(fault(entry.sequence, 'the approval that it tells of is gone'));
      continue;
    }
    unmet.delete(approval);
    if (differs(entry, approval)) faults.push(fault(entry.sequence, 'the approval was changed'));
    else if (endedOtherwise(entries, entry, approval))
      faults.push(fault(entry.sequence, 'whether the approval stands was changed'));
  }
  // That some other entry came by the same command does not make it given: only an approval's own entry does.
  return [...faults, ...[...unmet].map(() => fault(0, 'there is an approval that nobody gave'))];
};

/** Everything that is looked at, in the order of telling. What proves more of an operation is added here. */
export const operationChecks: readonly OperationCheck[] = [
  chainHolds,
  endsAsTheOperationStands,
  isWhatWasProposed,
  approvalsAreThoseGiven,
];

/** What is wrong with one operation's history, alone and beside the operation itself. */
export const faultsOfOperation = (audited: Audited): readonly ChainFault[] =>
  audited.entries.length === 0
    ? [operationFault(audited.operation.id, 0, 'it has no history at all')]
    : operationChecks.flatMap((check) => check(audited));
