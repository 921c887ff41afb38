import { operationStates, type OperationState } from '@holdfast/operation';

/** Every kind of event that the world outside is told of. The contract changes by adding. */
export const announcementTypes = [
  ...operationStates.map((state) => `operation.${state}` as const),
  'case.escalated',
  'webhook.test',
] as const;
export type AnnouncementType = `operation.${OperationState}` | 'case.escalated' | 'webhook.test';

/** What endpoints can choose: the test is sent because somebody asked for it. */
export const choosableTypes: readonly AnnouncementType[] = announcementTypes.filter(
  (type) => type !== 'webhook.test',
);

export const payloadVersion = 1;

/** What of an operation is told. Nothing that names or describes a person. */
export type AnnouncedOperation = {
  readonly id: string;
  readonly state: OperationState;
  readonly version: number;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly provider: string | null;
  readonly providerReference: string | null;
  readonly createdAt: Date;
};

/** Written in the transaction of what it tells of. `key`: with the history's generation it is the event's ID. */
export type Announcement = {
  readonly key: string;
  readonly type: AnnouncementType;
  readonly operationId: string;
  readonly version: number;
  readonly payload: string;
};

const dataOf = (operation: AnnouncedOperation, before: OperationState | null, at: Date) => ({
  payloadVersion,
  operationId: operation.id,
  state: operation.state,
  previousState: before,
  version: operation.version,
  amount:
    operation.amountMinor === null || operation.currency === null
      ? null
      : { minor: operation.amountMinor, currency: operation.currency },
  provider:
    operation.provider === null ? null : { name: operation.provider, reference: operation.providerReference },
  createdAt: operation.createdAt.toISOString(),
  changedAt: at.toISOString(),
});

const made = (
  type: AnnouncementType,
  prefix: string,
  operation: AnnouncedOperation,
  before: OperationState | null,
  at: Date,
): Announcement => ({
  key: `${prefix}_${operation.id}_${String(operation.version)}`,
  type,
  operationId: operation.id,
  version: operation.version,
  payload: JSON.stringify({ type, timestamp: at.toISOString(), data: dataOf(operation, before, at) }),
});

/** An operation is in another state than before; `before` is `null` where it is new. */
export const stateAnnouncement = (
  operation: AnnouncedOperation,
  before: OperationState | null,
  at: Date,
): Announcement => made(`operation.${operation.state}`, 'op', operation, before, at);

/** Nobody took a case in time, or its second word is missing. */
export const escalationAnnouncement = (operation: AnnouncedOperation, at: Date): Announcement =>
  made('case.escalated', 'case', operation, operation.state, at);

/** The payload of a test: the same shape, of an operation that never was. */
export const testPayload = (at: Date): string =>
  JSON.stringify({
    type: 'webhook.test',
    timestamp: at.toISOString(),
    data: {
      payloadVersion,
      operationId: null,
      state: null,
      previousState: null,
      version: 1,
      amount: null,
      provider: null,
      createdAt: at.toISOString(),
      changedAt: at.toISOString(),
    },
  });

/**
 * The bytes that are signed and sent: what was written then, with what only the sender knows. `history` changes when
 * Holdfast was restored from a backup: versions of another history say nothing about these.
 */
export const bodyOf = (
  stored: { readonly payload: string; readonly operationId: string | null; readonly generation: string },
  publicOrigin: string,
): string => {
  const { type, timestamp, data } = JSON.parse(stored.payload) as {
    type: string;
    timestamp: string;
    data: Readonly<Record<string, unknown>>;
  };
  const link = stored.operationId === null ? null : `${publicOrigin}/operations/${stored.operationId}`;
  return JSON.stringify({ type, timestamp, data: { ...data, history: stored.generation, link } });
};
