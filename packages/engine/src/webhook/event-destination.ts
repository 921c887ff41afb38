import type { VerifiedEvent } from '@holdfast/providers';

type EventOfAccount = Pick<VerifiedEvent, 'liveMode' | 'accountId'>;

/**
 * Whether a verified event is meant for this environment. One of another mode or another account is stored and
 * counted, and changes nothing.
 */
export const eventDestination = (
  event: EventOfAccount,
  account: { readonly accountId: string; readonly liveMode: boolean },
): 'here' | 'other-mode' | 'other-account' => {
  if (event.liveMode !== account.liveMode) return 'other-mode';
  if (event.accountId !== null && event.accountId !== account.accountId) return 'other-account';
  return 'here';
};

/** The ways to join an event to an operation, best first. Amounts are never one of them. */
export type EventJoin =
  | { readonly by: 'idempotency-key'; readonly key: string }
  | { readonly by: 'metadata'; readonly operationId: string }
  | { readonly by: 'reference'; readonly reference: string };

export const eventJoins = (event: VerifiedEvent, organisationId: string): readonly EventJoin[] => {
  const joins: EventJoin[] = [];
  if (event.idempotencyKey !== null) joins.push({ by: 'idempotency-key', key: event.idempotencyKey });
  if (event.metadataOrganisationId === organisationId && event.metadataOperationId !== null) {
    joins.push({ by: 'metadata', operationId: event.metadataOperationId.toLowerCase() });
  }
  const reference = event.record?.reference ?? event.objectReference;
  if (reference !== null && reference !== undefined) joins.push({ by: 'reference', reference });
  return joins;
};

/** Pause before a stored event is tried again; it is never given up, only tried less often. */
export const pauseBeforeApplyingAgainMs = (triesDone: number): number =>
  Math.min(1_000 * 2 ** Math.min(triesDone, 9), 5 * 60_000);
