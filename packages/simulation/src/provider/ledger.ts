/** One refund as the provider itself holds it: the truth that everything else is measured by. */
export type LedgerRefund = {
  readonly reference: string;
  readonly paymentReference: string;
  readonly minor: number;
  readonly currency: string;
  readonly atMs: number;
  /** Of our requests: whose action it is. `null`: made by hand at the provider. */
  readonly operationId: string | null;
  readonly organisationId: string | null;
  readonly idempotencyKey: string | null;
  status: 'pending' | 'succeeded' | 'failed';
  statusText: string;
  failureReason: string | null;
  /** It has succeeded at some time, whatever became of it. */
  hasSucceeded: boolean;
  /** Lists show it from then on. */
  listedFromMs: number;
  /** An event of it came through then, for the first time; infinity before. */
  toldFromMs: number;
};

export type LedgerDispute = {
  readonly reference: string;
  readonly paymentReference: string;
  readonly minor: number;
  readonly currency: string;
  readonly atMs: number;
  open: boolean;
};

export type Ledger = {
  readonly refunds: LedgerRefund[];
  readonly disputes: LedgerDispute[];
  readonly captured: Map<string, number>;
};

export const createLedger = (): Ledger => ({ refunds: [], disputes: [], captured: new Map() });

export const standing = (ledger: Ledger, paymentReference: string): readonly LedgerRefund[] =>
  ledger.refunds.filter((one) => one.paymentReference === paymentReference && one.status !== 'failed');

export const sumOf = (refunds: readonly LedgerRefund[]): number =>
  refunds.reduce((total, { minor }) => total + minor, 0);
