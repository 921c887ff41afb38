import type { OperationState } from '@holdfast/operation';
import type { StoredEvent } from '../webhook/apply-event.ts';

/** An operation whose wake-up time has come, taken for a while so that other workers pass it by. */
export type DueOperation = {
  readonly kind: 'operation';
  readonly lane: string;
  readonly organisationId: string;
  readonly operationId: string;
  readonly state: OperationState;
  /** Evidence is on record; it is settled first, whatever became of the process that brought it. */
  readonly hasEvidence: boolean;
};

export type DueEvent = { readonly kind: 'event'; readonly lane: string; readonly stored: StoredEvent };

export type DueItem = DueOperation | DueEvent;

export type DueOrganisation = {
  readonly organisationId: string;
  readonly due: number;
  readonly nextWakeAtMs: number | null;
};

export const organisationOf = (item: DueItem): string =>
  item.kind === 'operation' ? item.organisationId : item.stored.organisationId;

/**
 * What may not take all of a worker's places: one organisation's submissions, which a provider may leave hanging. What
 * is looked after and what was told by events is a crowd of its own, so that it goes on beside them.
 */
export const crowdOf = (item: DueItem): string =>
  `${organisationOf(item)} ${item.kind === 'operation' && item.state === 'approved' ? 'submissions' : 'rest'}`;
