import type { ProviderAdapter, ProviderContract } from '@holdfast/providers';
import type { Chance } from '../world/chance.ts';
import type { Mortal, Scheduler } from '../world/scheduler.ts';
import {
  addRefund,
  isOverdrawn,
  openBooks,
  recordOf,
  type ProviderTroubles,
  type ProviderWatcher,
} from './books.ts';
import type { Ledger, LedgerDispute, LedgerRefund } from './ledger.ts';
import { pretendContract, type ContractTerms } from './pretend-contract.ts';
import { clientOf } from './provider-client.ts';

export { noTroubles, type ProviderEvent, type ProviderTroubles, type ProviderWatcher } from './books.ts';

/** A provider in this process: its ledger is the truth, and everything between it and us may go wrong. */
export type PretendProvider = {
  readonly ledger: Ledger;
  readonly contract: ProviderContract;
  troubles: ProviderTroubles;
  lenient: boolean;
  readonly adapterFor: (owner: Mortal, clockOf: () => number) => ProviderAdapter;
  readonly refundByHand: (paymentReference: string, minor: number) => LedgerRefund | null;
  readonly openDispute: (paymentReference: string) => void;
  readonly closeDispute: (dispute: LedgerDispute) => void;
  readonly settlePending: (succeeds: boolean, refund: LedgerRefund) => void;
  readonly failLate: (refund: LedgerRefund) => void;
  /** Lists show everything by then. */
  readonly showAllBy: (atMs: number) => void;
  readonly recordOf: typeof recordOf;
};

export const createPretendProvider = (
  scheduler: Scheduler,
  chance: Chance,
  terms: ContractTerms,
  watcher: ProviderWatcher,
): PretendProvider => {
  const contract = pretendContract(terms);
  const books = openBooks({ scheduler, watcher, contract, wire: chance.fork('wire') });
  const { ledger } = books;
  const end = (refund: LedgerRefund, status: 'succeeded' | 'failed', because: string | null): void => {
    refund.status = status;
    refund.statusText = status;
    refund.failureReason = because;
    refund.hasSucceeded ||= status === 'succeeded';
    watcher.trace(`provider: ${refund.reference} is ${status} now`);
    watcher.changed({ refund });
  };
  return Object.assign(books, {
    adapterFor: (owner: Mortal, clockOf: () => number) => clientOf(books, owner, clockOf),
    recordOf,
    refundByHand: (paymentReference: string, minor: number) => {
      if (isOverdrawn(books, paymentReference, minor)) return null;
      const owner = { organisationId: null, operationId: null, idempotencyKey: null };
      return addRefund(books, { paymentReference, minor, currency: 'EUR', ...owner, status: 'succeeded' });
    },
    openDispute: (paymentReference: string) => {
      const reference = `dp_${String(ledger.disputes.length + 1)}`;
      const figures = { minor: 100, currency: 'EUR', atMs: scheduler.nowMs() };
      const dispute: LedgerDispute = { reference, paymentReference, ...figures, open: true };
      ledger.disputes.push(dispute);
      watcher.trace(`provider: ${reference} of ${paymentReference} is open`);
      watcher.changed({ dispute });
    },
    closeDispute: (dispute: LedgerDispute) => {
      dispute.open = false;
      watcher.trace(`provider: ${dispute.reference} is closed`);
      watcher.changed({ dispute });
    },
    settlePending: (succeeds: boolean, refund: LedgerRefund) => {
      if (refund.status !== 'pending') return;
      end(refund, succeeds ? 'succeeded' : 'failed', succeeds ? null : 'declined by the bank');
    },
    failLate: (refund: LedgerRefund) => {
      if (refund.status === 'succeeded') end(refund, 'failed', 'the account is closed');
    },
    showAllBy: (atMs: number) => {
      for (const refund of ledger.refunds) refund.listedFromMs = Math.min(refund.listedFromMs, atMs);
    },
  });
};
