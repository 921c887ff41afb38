import type { Row } from '../postgres/values.ts';
import { standing, sumOf } from '../provider/ledger.ts';
import type { History } from '../world/history.ts';
import { Violation } from '../world/violation.ts';

const rule = (promise: string, detail: string): never => {
  throw new Violation('safety', promise, detail);
};

const text = (row: Row, column: string): string => String(row[column] ?? '');

const holdsMoney = ['approved', 'submitting', 'pending', 'outcome_unknown'];

/** A payment's figures are the sums of what operations hold; and what is held and refunded here was captured. */
const checkPayment = (history: History, payment: Row, operations: readonly Row[]): void => {
  const reference = text(payment, 'payment_reference');
  const own = operations.filter((row) => row['payment_reference'] === reference);
  const sum = (states: readonly string[], column: string): number =>
    own
      .filter((row) => states.includes(text(row, 'state')))
      .reduce((total, row) => total + Number(row[column] ?? 0), 0);
  const reserved = sum(holdsMoney, 'amount_minor');
  if (reserved !== payment['reserved']) {
    rule(
      'reserved is what unfinished refunds hold',
      `${reference}: ${String(payment['reserved'])}, not ${String(reserved)}`,
    );
  }
  const refunded = sum(['confirmed'], 'booked_minor');
  if (refunded !== payment['refunded']) {
    rule(
      'refunded is what was confirmed',
      `${reference}: ${String(payment['refunded'])}, not ${String(refunded)}`,
    );
  }
  const captured = Number(payment['captured']);
  const { witness } = history;
  // What people said of an operation may have been wrong, and a fact is never refused.
  const isFact = witness.restored || own.some((row) => witness.settledByPeople.has(text(row, 'id')));
  if (reserved + refunded > captured && !isFact) {
    rule(
      'no more is promised than was captured',
      `${reference}: ${String(reserved)} held and ${String(refunded)} refunded of ${String(captured)}`,
    );
  }
};

/** Of refunds made elsewhere each standing one is counted, and nothing else. */
const checkElsewhere = (history: History, payment: Row): void => {
  if (history.witness.restored) return;
  const reference = text(payment, 'payment_reference');
  const byHand = standing(history.provider.ledger, reference).filter(
    ({ operationId }) => operationId === null,
  );
  const told = Number(payment['refunded_elsewhere']);
  if (told !== sumOf(byHand)) {
    rule(
      'elsewhere is what was made elsewhere',
      `${reference}: ${String(told)}, not ${String(sumOf(byHand))}`,
    );
  }
};

/** Never more than was ever made by hand: a refund of ours is nobody else's, not even until its operation is settled. */
const checkOwnAreNotElsewhere = (history: History, payment: Row): void => {
  if (history.witness.restored) return;
  const reference = text(payment, 'payment_reference');
  const everByHand = history.provider.ledger.refunds.filter(
    (one) => one.paymentReference === reference && one.operationId === null,
  );
  const told = Number(payment['refunded_elsewhere']);
  if (told > sumOf(everByHand)) {
    rule('what we made is not counted as made elsewhere', `${reference}: ${String(told)}`);
  }
};

/** What an auditor sees who looks into the database now and then: each transaction leaves it whole. */
export const auditFigures = async (history: History): Promise<void> => {
  const before = await history.database.rowsOf('operations');
  const payments = await history.database.rowsOf('payments');
  const operations = await history.database.rowsOf('operations');
  const asTold = (rows: readonly Row[]): string =>
    rows
      .map((row) => `${text(row, 'id')} ${text(row, 'version')}`)
      .toSorted()
      .join();
  if (asTold(before) !== asTold(operations)) return;
  for (const payment of payments) {
    checkPayment(history, payment, operations);
    checkOwnAreNotElsewhere(history, payment);
  }
};

export const checkFiguresAtTheEnd = async (history: History): Promise<void> => {
  const operations = await history.database.rowsOf('operations');
  for (const payment of await history.database.rowsOf('payments')) {
    checkPayment(history, payment, operations);
    // Where nobody wants anything of the provider its list is looked at seldom, and nothing waits for that.
    if (operations.length > 0) checkElsewhere(history, payment);
  }
};
