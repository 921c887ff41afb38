import {
  approvalsNeededFor,
  formatAmount,
  isCarriedOutUnrecorded,
  isCase,
  policyLine,
  sentenceOf,
  tellTheCustomer,
  waitsForSecondWord,
  type Amount,
  type Attention,
  type Competing,
  type FailureCause,
  type Operation,
  type Policy,
  type SentenceFacts,
  type Settlement,
} from '@holdfast/operation';
import { resolutionOf } from './resolution-view.ts';

/** An operation as it is stored, as far as people may see it. */
export type StoredOperation = {
  readonly id: string;
  readonly state: Operation['state'];
  readonly version: number;
  readonly attention: readonly Attention[];
  readonly waitingFor: Operation['waitingFor'];
  readonly provider: string | null;
  readonly paymentReference: string | null;
  readonly orderId: string | null;
  readonly ticketId: string | null;
  readonly customerId: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly lines: Operation['lines'];
  readonly returnId: string | null;
  readonly reason: Operation['reason'];
  readonly note: string | null;
  readonly replaces: string | null;
  readonly fingerprint: string | null;
  readonly atProposal: Operation['atProposal'] | null;
  readonly proposedBy: string;
  /** `null` where it was proposed before this was kept: then the actor's own mark says it. */
  readonly proposedByAssistant: boolean | null;
  readonly approvedAt: Date | null;
  readonly undoUntil: Date | null;
  readonly sentBack: { readonly reasons: readonly string[] } | null;
  readonly replayDeadline: Date | null;
  readonly attemptCount: number;
  readonly settlement: Settlement | null;
  readonly providerReference: string | null;
  readonly providerStatus: string | null;
  readonly bookedMinor: number | null;
  readonly unknownSince: Date | null;
  readonly pendingSince: Date | null;
  readonly lastCheckAt: Date | null;
  readonly nextCheckAt: Date | null;
  readonly resolution: {
    readonly by: string;
    readonly outcome: 'confirmed' | 'failed';
    readonly note: string;
    readonly waiting: boolean;
    readonly providerReference: string | null;
    readonly at: string;
    readonly second?: { readonly by: string; readonly note: string; readonly at: string };
  } | null;
  readonly takenBy: string | null;
  readonly takenAt: Date | null;
  readonly escalatedAt: Date | null;
  readonly followUp: {
    readonly kind: 'pay-another-way';
    readonly since: string;
    readonly takenBy: string | null;
    readonly takenAt: string | null;
    readonly closed: {
      readonly at: string;
      readonly by: string | null;
      readonly how: 'note' | 'proposal';
      readonly note: string | null;
      readonly operationId: string | null;
    } | null;
  } | null;
  readonly endedBy: string | null;
  readonly endReason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type StoredApproval = {
  readonly actorId: string;
  readonly person: string;
  readonly approvedAt: Date;
  readonly signed: boolean;
};

/** What the view needs besides the row: names by ID, and what is so now. */
export type ViewContext = {
  readonly nameOf: (actorId: string) => string;
  readonly isAssistant: (actorId: string) => boolean;
  readonly providerName: (provider: string | null) => string;
  readonly policy: Policy;
  /** Whose approvals of the operation count by the policy as it is now. */
  readonly counting: readonly string[];
  readonly now: Date;
};

export const amountOf = (stored: Pick<StoredOperation, 'amountMinor' | 'currency'>): Amount | null =>
  stored.amountMinor === null || stored.currency === null
    ? null
    : { minor: stored.amountMinor, currency: stored.currency };

/** The evidence behind the operation's sentence, with names put in for IDs. */
export const sentenceFacts = (stored: StoredOperation, context: ViewContext): SentenceFacts => {
  const { settlement } = stored;
  const booked = stored.bookedMinor ?? stored.amountMinor;
  const name = (id: string | null): string | null => (id === null ? null : context.nameOf(id));
  return {
    state: stored.state,
    providerName: context.providerName(stored.provider),
    providerReference: stored.providerReference,
    certainlySubmitted: settlement?.kind === 'unknown' && settlement.certainlySubmitted,
    unattributed: settlement?.kind === 'unknown' ? (settlement.unattributed ?? null) : null,
    failure: settlement?.kind === 'failed' ? namedCause(settlement.cause, context) : null,
    settledBy:
      settlement?.kind === 'confirmed' && settlement.settledBy !== null
        ? { by: context.nameOf(settlement.settledBy.by), secondBy: name(settlement.settledBy.secondBy) }
        : null,
    reversalReason: settlement?.kind === 'reversed' ? settlement.record.failureReason : null,
    endedBy: name(stored.endedBy),
    endedWhy: stored.endReason,
    expiredAfterApproval: stored.approvedAt !== null,
    approvalsGiven: new Set(context.counting).size,
    approvalsNeeded: neededFor(stored, context.policy),
    sentBackBecause: stored.sentBack?.reasons ?? [],
    waitingFor: stored.waitingFor,
    undoSeconds: secondsUntil(stored.undoUntil, context.now),
    attention: stored.attention.map(({ reason }) => reason),
    carriedOutUnrecorded: isCarriedOutUnrecorded({ ...stored, ended: stored.endedBy !== null }),
    lookedIntoBy: name(stored.takenBy),
    firstWordBy: waitsForSecondWord(stored) ? name(stored.resolution?.by ?? null) : null,
    amountText:
      booked === null || stored.currency === null
        ? null
        : formatAmount({ minor: booked, currency: stored.currency }),
  };
};

const neededFor = (stored: StoredOperation, policy: Policy): number => {
  const amount = amountOf(stored);
  return amount === null ? policy.approvalsNeeded : approvalsNeededFor(policy, amount);
};

/** Only what is not submitted yet still waits for what the policy asks. */
const policyOf = (stored: StoredOperation, { policy, counting }: ViewContext): Pick<Operation, 'policy'> => {
  const amount = amountOf(stored);
  if (amount === null || (stored.state !== 'proposed' && stored.state !== 'approved')) return {};
  return {
    policy: policyLine(policy, amount, counting),
  };
};

const namedCause = (cause: FailureCause, context: ViewContext): FailureCause =>
  cause.kind === 'settled-by-people'
    ? {
        ...cause,
        by: context.nameOf(cause.by),
        secondBy: cause.secondBy === null ? null : context.nameOf(cause.secondBy),
      }
    : cause;

const secondsUntil = (until: Date | null, now: Date): number | null =>
  until === null ? null : Math.max(0, Math.ceil((until.getTime() - now.getTime()) / 1000));

const isAssistants = (stored: StoredOperation, context: ViewContext): boolean =>
  stored.proposedByAssistant ?? context.isAssistant(stored.proposedBy);

/** The operation as everybody who may see it sees it. `approvals`: those in force, oldest first. */
export const viewOfOperation = (
  stored: StoredOperation,
  approvals: readonly StoredApproval[],
  context: ViewContext,
  competing: readonly Competing[] = [],
): Operation => {
  const facts = sentenceFacts(stored, context);
  const person = (id: string): { id: string; name: string } => ({ id, name: context.nameOf(id) });
  return {
    id: stored.id,
    kind: 'refund',
    state: stored.state,
    version: stored.version,
    needsPerson: stored.attention.length > 0,
    attention: [...stored.attention],
    waitingFor: stored.waitingFor,
    amount: amountOf(stored),
    orderId: stored.orderId,
    paymentReference: stored.paymentReference,
    ticketId: stored.ticketId,
    customerId: stored.customerId,
    lines: stored.lines,
    returnId: stored.returnId,
    reason: stored.reason,
    note: stored.note,
    replaces: stored.replaces,
    fingerprint: stored.fingerprint,
    proposedBy: { ...person(stored.proposedBy), assistant: isAssistants(stored, context) },
    approvals: approvals.map(({ actorId, approvedAt, signed }) => ({
      by: person(actorId),
      at: approvedAt.toISOString(),
      signed,
    })),
    provider: {
      name: stored.provider ?? '',
      reference: stored.providerReference,
      status: stored.providerStatus,
    },
    attemptCount: stored.attemptCount,
    ...timesOf(stored),
    resolution: resolutionOf(stored, person),
    ...caseOf(stored, person),
    ...followUpOf(stored, person),
    ...(stored.atProposal === null || stored.atProposal === undefined
      ? {}
      : { atProposal: stored.atProposal }),
    ...(competing.length === 0 ? {} : { competing: [...competing] }),
    ...policyOf(stored, context),
    sentence: sentenceOf(facts),
    tellTheCustomer: tellTheCustomer(facts),
    createdAt: stored.createdAt.toISOString(),
    updatedAt: stored.updatedAt.toISOString(),
  };
};

const timesOf = (
  stored: StoredOperation,
): Pick<
  Operation,
  'unknownSince' | 'pendingSince' | 'lastCheckAt' | 'nextCheckAt' | 'replayDeadline' | 'undoUntil'
> => ({
  unknownSince: iso(stored.unknownSince),
  ...(stored.state === 'pending' && stored.pendingSince !== null
    ? { pendingSince: stored.pendingSince.toISOString() }
    : {}),
  lastCheckAt: iso(stored.lastCheckAt),
  nextCheckAt: iso(stored.nextCheckAt),
  replayDeadline: iso(stored.replayDeadline),
  undoUntil: iso(stored.undoUntil),
});

/** Older rows say who has it and not since when: the last change is the latest that it can have been. */
const caseOf = (
  stored: StoredOperation,
  person: (id: string) => { id: string; name: string },
): Pick<Operation, 'taken' | 'escalatedAt'> => ({
  ...(stored.takenBy === null || !isCase(stored)
    ? {}
    : { taken: { by: person(stored.takenBy), at: (stored.takenAt ?? stored.updatedAt).toISOString() } }),
  ...(stored.escalatedAt === null ? {} : { escalatedAt: stored.escalatedAt.toISOString() }),
});

const followUpOf = (
  { followUp }: StoredOperation,
  person: (id: string) => { id: string; name: string },
): Pick<Operation, 'followUp'> => {
  // Left out by whoever stored it before this was kept.
  if (followUp === null || followUp === undefined) return {};
  const { kind, since, takenBy, takenAt, closed } = followUp;
  return {
    followUp: {
      ...{ kind, since },
      ...(takenBy === null ? {} : { taken: { by: person(takenBy), at: takenAt ?? since } }),
      ...(closed === null
        ? {}
        : { closed: { ...closed, by: closed.by === null ? null : person(closed.by) } }),
    },
  };
};

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;
