import { crashPoint } from '#crash-point';
import type { AttemptReport } from '@holdfast/providers';
import type { ProviderAccount, WorkerSettings } from '../engine-interface.ts';
import type { AttemptIdentity } from '../execute/record-answer.ts';
import { storeAnswer } from './attempt-store.ts';
import { lockOperation } from './change-operation.ts';
import type { InOrganisation } from './connection.ts';
import { isDatabaseAway } from './database-trouble.ts';
import { loadAuditHeads, loadEvidence, lockOperations, type Patience } from './load-operations.ts';
import { settleOperation } from './observation-store.ts';

/** How one request ended. */
export type Answered = {
  readonly account: ProviderAccount;
  readonly attempt: AttemptIdentity;
  readonly report: AttemptReport;
};

export type RecordTerms = { readonly inOrganisation: InOrganisation; readonly settings: WorkerSettings };

/**
 * Keeps several answers of one organisation and settles their operations, in one transaction. Should anything break,
 * nothing of it was written, and each is recorded in a transaction of its own.
 */
export const recordGroup = async (
  terms: RecordTerms,
  organisationId: string,
  answers: readonly Answered[],
): Promise<readonly Promise<void>[]> => {
  try {
    await inOneTransaction(terms, organisationId, answers, 'briefly');
    return answers.map(() => Promise.resolve());
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
  }
  return answers.map((answer) => inOneTransaction(terms, organisationId, [answer], 'as long as it takes'));
};

const inOneTransaction = (
  { inOrganisation, settings }: RecordTerms,
  organisationId: string,
  answers: readonly Answered[],
  patience: Patience,
): Promise<void> =>
  inOrganisation(organisationId, async (tx) => {
    const operationIds = [...new Set(answers.map(({ attempt }) => attempt.operationId))].toSorted();
    // The payments first, like everywhere: keeping evidence locks the operations' rows.
    await lockOperations(tx, { operationIds, orderIds: [] }, 'alone', patience);
    await Promise.all([loadEvidence(tx, operationIds), loadAuditHeads(tx, operationIds)]);
    for (const { account, attempt, report } of answers) {
      await lockOperation(tx, attempt.operationId);
      await storeAnswer(tx, attempt, report);
      await settleOperation(tx, attempt.operationId, account, settings);
    }
    crashPoint('before-record-commits');
  });
