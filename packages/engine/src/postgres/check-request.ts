import type { OperationState } from '@holdfast/operation';
import { and, eq } from 'drizzle-orm';
import type { CheckAnswer } from '../engine-interface.ts';
import { lockOperation } from './change-operation.ts';
import type { OrganisationTransaction } from './connection.ts';
import { viewOperation, type ProviderNames } from './operation-reader.ts';
import { operations } from './schema.ts';

/** Asked more often than this, the provider would be asked for nothing. */
export const shortestPauseMs = 2_000;

/** States in which there is something to ask the provider about. Before a submission asking could only submit. */
const askable: readonly OperationState[] = ['outcome_unknown', 'pending', 'confirmed', 'failed', 'reversed'];

/** Has the worker ask the provider about an operation at its next pass. Never submits anything by itself. */
export const requestCheck = async (
  tx: OrganisationTransaction,
  operationId: string,
  providerName: ProviderNames,
): Promise<CheckAnswer> => {
  const row = await lockOperation(tx, operationId);
  if (row === undefined) return { kind: 'not-found' };
  const sinceMs = row.checkAskedAt === null ? Infinity : tx.now.getTime() - row.checkAskedAt.getTime();
  if (sinceMs < shortestPauseMs) return { kind: 'too-soon', retryAfterMs: shortestPauseMs - sinceMs };
  await tx.db
    .update(operations)
    .set({ checkAskedAt: tx.now, ...(askable.includes(row.state) ? { wakeAt: tx.now } : {}) })
    .where(and(eq(operations.organisationId, tx.organisationId), eq(operations.id, operationId)));
  return { kind: 'scheduled', operation: await viewOperation(tx, row, providerName) };
};
