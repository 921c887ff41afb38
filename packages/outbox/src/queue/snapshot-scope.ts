import { isOpenOperation } from './open-operations.ts';
import type { QueueScope, QueueSnapshot } from './queue-store.ts';
import type { Words } from './words.ts';

const ofOperations = <W extends Words>(
  all: QueueSnapshot<W>,
  ids: ReadonlySet<string>,
): QueueSnapshot<W>['records'] => all.records.filter(({ entry }) => ids.has(entry.operationId));

/** Of everything, what a scope names. For a store that has no indexes to lean on. */
export const ofScope = <W extends Words>(
  all: QueueSnapshot<W>,
  { operationIds, order, withSuperseded }: QueueScope,
): QueueSnapshot<W> => {
  const isOfOrder = (subject: string, orderId: string | null): boolean =>
    order !== undefined && subject === order.subject && orderId === order.orderId;
  const ids = new Set(operationIds);
  for (const { entry } of all.records)
    if (isOfOrder(entry.subject, entry.orderId)) ids.add(entry.operationId);
  const drafts = all.drafts.filter(
    (draft) => ids.has(draft.operationId) || isOfOrder(draft.subject, draft.order.id),
  );
  for (const { supersedes } of withSuperseded ? drafts : []) if (supersedes !== null) ids.add(supersedes);
  return { ...all, drafts, records: ofOperations(all, ids) };
};

/** Of everything, what is open and what that supersedes. */
export const ofOpen = <W extends Words>(all: QueueSnapshot<W>): QueueSnapshot<W> => {
  const unreadable = all.unreadable.flatMap(({ operationId }) => operationId ?? []);
  const ids = new Set(all.records.map(({ entry }) => entry.operationId));
  const open = [...ids].filter((id) => isOpenOperation(ofOperations(all, new Set([id]))));
  const wanted = new Set([...open, ...unreadable]);
  for (const { entry } of ofOperations(all, wanted))
    if (entry.supersedes !== null) wanted.add(entry.supersedes);
  return { ...all, records: ofOperations(all, wanted) };
};

export const ofSubject = <W extends Words>(all: QueueSnapshot<W>, subject: string): QueueSnapshot<W> => {
  const own = all.records.filter(({ entry }) => entry.subject === subject);
  return {
    ...all,
    drafts: [],
    records: ofOperations(all, new Set(own.map(({ entry }) => entry.operationId))),
  };
};
