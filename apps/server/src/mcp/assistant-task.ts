import { createHmac, timingSafeEqual } from 'node:crypto';
import { isUnfinished, mintOperationId, type Operation } from '@holdfast/operation';

/** Which wish an operation ID is for. The same wish has the same ID, whoever's model words it how often. */
export type AssistantTask = {
  readonly organisationId: string;
  /** The key that the assistant works with. */
  readonly keyId: string;
  readonly orderId: string;
  /** What makes it another refund of the same order, where the assistant says that it is one. */
  readonly another: string;
};

type Owner = Pick<AssistantTask, 'organisationId' | 'keyId' | 'orderId'>;

const taskBytes = 5;
/** The time in every task's ID: the order's own may be corrected while the wish stays the same. */
const taskTimeMs = Date.UTC(2026, 0, 1);

const digest = (sharedKey: Uint8Array, what: string, parts: readonly unknown[]): Uint8Array =>
  createHmac('sha256', sharedKey)
    .update(JSON.stringify(['assistant-task', what, ...parts]))
    .digest();

/** The bits of a UUIDv7 that say its version and variant are not chance. */
const withoutFixedBits = (bytes: Uint8Array): Uint8Array =>
  bytes.map((byte, at) => (at === 0 ? byte & 0x0f : at === 2 ? byte & 0x3f : byte));

const seal = (
  sharedKey: Uint8Array,
  { organisationId, keyId, orderId }: Owner,
  task: Uint8Array,
): Uint8Array =>
  digest(sharedKey, 'seal', [
    ...[organisationId, keyId, orderId],
    ...[taskTimeMs, Buffer.from(task).toString('hex')],
  ]).subarray(0, taskBytes);

/** Every bit of the ID follows from the task's own bytes and whose it is. */
const sealed = (sharedKey: Uint8Array, owner: Owner, own: Uint8Array): string =>
  mintOperationId(taskTimeMs, Buffer.concat([own, seal(sharedKey, owner, own)]));

/** The ID of a task's refund, and of the ones after it has ended: nothing is kept, so every process gives the same. */
const idOf = (sharedKey: Uint8Array, task: AssistantTask, turn: number): string => {
  const { organisationId, keyId, orderId, another } = task;
  const bytes = digest(sharedKey, 'id', [organisationId, keyId, orderId, another, turn]);
  return sealed(sharedKey, task, withoutFixedBits(bytes.subarray(0, taskBytes)));
};

/**
 * Whether an ID was minted here, for this key and this order: the whole of it, so that a slip of a model's in any
 * digit is nobody's task, as one that it made up is.
 */
export const isOwnTask = (sharedKey: Uint8Array, owner: Owner, operationId: string): boolean => {
  const bytes = Buffer.from(operationId.replaceAll('-', '').slice(12), 'hex');
  const minted = Buffer.from(sealed(sharedKey, owner, withoutFixedBits(bytes.subarray(0, taskBytes))));
  const given = Buffer.from(operationId);
  return given.length === minted.length && timingSafeEqual(given, minted);
};

type LookUp = (ids: readonly string[]) => Promise<Readonly<Record<string, Operation | null>>>;

const turnsAtOnce = 8;

/** The task's operation: the one that is not finished, or the next that nobody has heard of. */
export const operationOfTask = async (
  sharedKey: Uint8Array,
  task: AssistantTask,
  lookUp: LookUp,
): Promise<{ readonly operationId: string; readonly operation: Operation | null }> => {
  for (let turn = 0; ; turn += turnsAtOnce) {
    const ids = Array.from({ length: turnsAtOnce }, (_, index) => idOf(sharedKey, task, turn + index));
    const known = await lookUp(ids);
    for (const operationId of ids) {
      const operation = known[operationId] ?? null;
      if (operation === null || isUnfinished(operation.state)) return { operationId, operation };
    }
  }
};
