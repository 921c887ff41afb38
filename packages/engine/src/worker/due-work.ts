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
