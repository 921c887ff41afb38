import type { Transactions } from '../page-results.ts';

const counts = { readwrite: 0, readonly: 0 };

/** From now on each transaction of this page is counted as it is opened. */
export const watchTransactions = (): void => {
  const open = Object.getOwnPropertyDescriptor(IDBDatabase.prototype, 'transaction')?.value as (
    this: IDBDatabase,
    ...words: Parameters<IDBDatabase['transaction']>
  ) => IDBTransaction;
  IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...words) {
    const transaction = open.apply(this, words);
    if (transaction.mode === 'readwrite') counts.readwrite += 1;
    else counts.readonly += 1;
    return transaction;
  };
};

export const transactionsSince = (before: Transactions): Transactions => ({
  readwrite: counts.readwrite - before.readwrite,
  readonly: counts.readonly - before.readonly,
});

export const transactionsSoFar = (): Transactions => ({ ...counts });
