import { stateAnnouncement } from '../announce/announcement.ts';
import type { OrganisationTransaction } from './connection.ts';
import type { OperationRow } from './schema.ts';
import { paymentKey } from './working-memory.ts';

type Needed = 'id' | 'state' | 'generation' | 'proposedBy' | 'proposedVia' | 'proposedPerson';
type Fixed = 'organisationId' | 'kind' | 'version' | 'fence' | 'createdAt' | 'updatedAt';

/**
 * Binds an ID to what was accepted under it, for ever; its audit entry and feed row are the caller's. Where somebody
 * else bound it meanwhile, the transaction ends with `BoundMeanwhile` and is to be made again.
 */
export const acceptOperation = (
  tx: OrganisationTransaction,
  given: Pick<OperationRow, Needed> & Partial<Omit<OperationRow, Needed | Fixed>>,
): OperationRow => {
  const row: OperationRow = {
    ...blank,
    ...given,
    organisationId: tx.organisationId,
    kind: 'refund',
    version: 1,
    fence: 0,
    createdAt: tx.now,
    updatedAt: tx.now,
  };
  tx.unsent.accepted.set(row.id, row);
  tx.unsent.announcements.push(stateAnnouncement(row, null, tx.now));
  const { memory } = tx;
  memory.operations.set(row.id, row);
  memory.locked.add(row.id);
  // Nothing else can be there of an ID that nobody has met.
  memory.auditHeads.set(row.id, null);
  memory.approvalsOf.set(row.id, []);
  memory.attemptsOf.set(row.id, []);
  memory.observationsOf.set(row.id, []);
  if (row.provider !== null && row.paymentReference !== null) {
    memory.operationsOf.get(paymentKey(row.provider, row.paymentReference))?.add(row.id);
  }
  return row;
};

const blank: Omit<OperationRow, Needed | Fixed> = {
  attention: [],
  clearedAttention: [],
  waitingFor: null,
  provider: null,
  paymentReference: null,
  orderId: null,
  ticketId: null,
  customerId: null,
  amountMinor: null,
  currency: null,
  lines: [],
  returnId: null,
  reason: null,
  note: null,
  replaces: null,
  differentFrom: [],
  fingerprint: null,
  atProposal: null,
  proposedRole: null,
  proposedPolicyVersion: null,
  proposedByAssistant: null,
  approvedAt: null,
  undoUntil: null,
  approvedPolicyVersion: null,
  knownElsewhere: [],
  sentBack: null,
  firstSentAt: null,
  replayDeadline: null,
  attemptCount: 0,
  claimedBy: null,
  leaseUntil: null,
  deferredUntil: null,
  settlement: null,
  providerReference: null,
  providerStatus: null,
  bookedMinor: null,
  unknownSince: null,
  pendingSince: null,
  settledAt: null,
  resolution: null,
  takenBy: null,
  takenAt: null,
  escalatedAt: null,
  followUp: null,
  endedBy: null,
  endReason: null,
  wakeAt: null,
  lastCheckAt: null,
  nextCheckAt: null,
  checkCount: 0,
  checkAskedAt: null,
  expiresAt: null,
};
