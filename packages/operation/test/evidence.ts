import type {
  AttemptFinding,
  LookUpFinding,
  Observation,
  OperatorFinding,
  ProviderRecord,
  SettlementSubject,
  SettlementTerms,
} from '../src/operation.ts';

/** Evidence for tests: one operation of EUR 10.99, and what can be seen of it. */
export const subject: SettlementSubject = {
  organisationId: 'org-1',
  operationId: '0193a000-0000-7000-8000-000000000001',
  amount: { minor: 1099, currency: 'EUR' },
  paymentReference: 'pi_1',
};

export const nothingHappened: SettlementTerms = { finalAbsenceProves: 'nothing-happened' };
export const aPersonDecides: SettlementTerms = { finalAbsenceProves: 'a-person-decides' };

export const record = (changes: Partial<ProviderRecord> = {}): ProviderRecord => ({
  reference: 're_1',
  status: 'succeeded',
  statusText: changes.status ?? 'succeeded',
  amount: subject.amount,
  paymentReference: subject.paymentReference,
  failureReason: null,
  createdAtMs: 1_000,
  organisationId: subject.organisationId,
  operationId: subject.operationId,
  ...changes,
});

let counter = 0;
const identity = (atMs: number): { id: string; atMs: number } => ({
  id: `observation-${(counter += 1)}`,
  atMs,
});

export const response = (
  attemptNumber: number,
  finding: AttemptFinding,
  atMs = attemptNumber * 10,
): Observation => ({
  ...identity(atMs),
  source: 'response',
  attemptNumber,
  finding,
  replayed: false,
});
export const lookUp = (finding: LookUpFinding, atMs = 1_000): Observation => ({
  ...identity(atMs),
  source: 'look-up',
  finding,
});
export const webhook = (found: ProviderRecord, atMs = 500): Observation => ({
  ...identity(atMs),
  source: 'webhook',
  eventId: `evt-${counter}`,
  finding: { kind: 'found', record: found },
});
export const people = (changes: Partial<OperatorFinding> = {}, atMs = 2_000): Observation => ({
  ...identity(atMs),
  source: 'operator',
  finding: {
    kind: 'operator-settled',
    outcome: 'failed',
    by: 'ada',
    secondBy: 'ben',
    note: 'asked the bank',
    record: null,
    ...changes,
  },
});

export const unknown: AttemptFinding = { kind: 'unknown', because: 'timeout' };
export const notSent: AttemptFinding = { kind: 'not-sent', because: 'connection refused' };
export const deferred: AttemptFinding = { kind: 'deferred', because: 'rate-limited', retryAfterMs: 3_000 };
export const disputed: AttemptFinding = { kind: 'rejected', decline: 'disputed', code: 'charge_disputed' };
export const alreadyRefunded: AttemptFinding = {
  kind: 'rejected',
  decline: 'already-refunded',
  code: 'charge_already_refunded',
};
export const accepted = (changes: Partial<ProviderRecord> = {}): AttemptFinding => ({
  kind: 'accepted',
  record: record(changes),
});
export const byHand = { reference: 're_hand', amount: { minor: 5000, currency: 'EUR' }, atMs: 900 };

export const ended = (...numbers: readonly number[]) => numbers.map((number) => ({ number, ended: true }));
export const underWay = (number: number) => ({ number, ended: false });
