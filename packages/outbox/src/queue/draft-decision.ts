import type { Begun, Draft, DraftContent, OrderSeen, Saved } from '../outbox-interface.ts';
import { historyOf } from './entry-history.ts';
import type { Decision } from './queue-store.ts';
import { rowVersion } from './stored-rows.ts';
import { draftOf } from './refund-rows.ts';
import type { DraftRow, RefundRecord, RefundSnapshot } from './refund-rows.ts';

/** What the world gives a decision about drafts. `operationId` is freshly minted, for the case that it is needed. */
export type DraftWorld = { readonly subject: string; readonly operationId: string; readonly nowMs: number };

const newDraft = (
  world: DraftWorld,
  order: OrderSeen,
  bound: { content?: DraftContent; otherThan?: string; supersedes?: string },
): DraftRow => ({
  v: rowVersion,
  operationId: world.operationId,
  subject: world.subject,
  orderId: order.id,
  order: { id: order.id, version: order.version, lines: [...order.lines], refundable: order.refundable },
  content: { ...(bound.content ?? {}) },
  otherThan: bound.otherThan ?? null,
  supersedes: bound.supersedes ?? null,
  begunAtMs: world.nowMs,
  savedAtMs: world.nowMs,
});

const opened = (row: DraftRow): Decision<Begun> => ({
  writes: { putDrafts: [row] },
  answer: { kind: 'draft', draft: draftOf(row), isNew: true },
});

const met = (draft: Draft): Decision<Begun> => ({
  writes: {},
  answer: { kind: 'draft', draft, isNew: false },
});

const alreadyQueued = ({ entry }: RefundRecord): Decision<Begun> => ({
  writes: {},
  answer: { kind: 'already-queued', operationId: entry.operationId },
});

const openDrafts = (snapshot: RefundSnapshot, subject: string, orderId: string): Draft[] =>
  snapshot.drafts
    .filter((draft) => draft.subject === subject && draft.order.id === orderId)
    .sort((one, other) => other.begunAtMs - one.begunAtMs);

const isProposalOf = ({ entry }: RefundRecord, subject: string, orderId: string): boolean =>
  entry.type === 'propose' && entry.subject === subject && entry.orderId === orderId;

/** A refund of the order that was queued here and, as far as is known, has not ended without one. */
const liveProposal = (
  snapshot: RefundSnapshot,
  subject: string,
  orderId: string,
  endedOperations: ReadonlySet<string>,
): RefundRecord | undefined =>
  snapshot.records
    .filter((record) => isProposalOf(record, subject, orderId))
    .filter(({ entry }) => !endedOperations.has(entry.operationId))
    .filter((record) => {
      const { ending, dismissed } = historyOf(record);
      if (ending === null) return true;
      if (ending.how === 'dropped') return false;
      return ending.status !== 'rejected' || !dismissed;
    })
    .sort((one, other) => other.entry.queuedAtMs - one.entry.queuedAtMs)[0];

/**
 * The form of an order was opened: a reload, a second tab and a page brought back meet the draft that is there.
 * @param endedOperations operations of the order that the server says ended without a refund
 */
export const decideBegin =
  (world: DraftWorld, order: OrderSeen, endedOperations: ReadonlySet<string>) =>
  (snapshot: RefundSnapshot): Decision<Begun> => {
    const draft = openDrafts(snapshot, world.subject, order.id)[0];
    if (draft) return met(draft);
    const live = liveProposal(snapshot, world.subject, order.id, endedOperations);
    if (live) return alreadyQueued(live);
    return opened(newDraft(world, order, {}));
  };

export const decideBeginAnother =
  (world: DraftWorld, order: OrderSeen, otherThan: string) =>
  (snapshot: RefundSnapshot): Decision<Begun> => {
    const draft = openDrafts(snapshot, world.subject, order.id).find((open) => open.otherThan === otherThan);
    return draft ? met(draft) : opened(newDraft(world, order, { otherThan }));
  };

const contentOfProposal = (record: RefundRecord): DraftContent => {
  const { command } = record.entry;
  if (command.type !== 'propose') return {};
  const { commandId: _id, operationId: _operation, subject: _subject, type: _type, ...proposal } = command;
  return JSON.parse(JSON.stringify(proposal)) as DraftContent;
};

/** What was queued in its place, or in the place of that; `undefined` when all of it was dropped or put away. */
const replacementOf = (snapshot: RefundSnapshot, operationId: string): RefundRecord | undefined => {
  for (const record of snapshot.records) {
    if (record.entry.type !== 'propose' || record.entry.supersedes !== operationId) continue;
    const { ending, dismissed } = historyOf(record);
    const isGone = ending?.how === 'dropped' || (ending?.status === 'rejected' && dismissed);
    const standing = isGone ? replacementOf(snapshot, record.entry.operationId) : record;
    if (standing) return standing;
  }
  return undefined;
};

/**
 * A refused or waiting proposal is changed: new ID, same content to begin with. Once: whoever changes it again, as
 * from a tab that did not hear of it, meets the changed one.
 */
export const decideRevise =
  (world: DraftWorld, operationId: string, order: OrderSeen) =>
  (snapshot: RefundSnapshot): Decision<Begun> => {
    const draft = openDrafts(snapshot, world.subject, order.id).find(
      (open) => open.supersedes === operationId,
    );
    if (draft) return met(draft);
    const replacement = replacementOf(snapshot, operationId);
    if (replacement) return alreadyQueued(replacement);
    const proposal = snapshot.records.findLast(
      (record) => isProposalOf(record, world.subject, order.id) && record.entry.operationId === operationId,
    );
    if (!proposal) {
      const because = { reason: 'nothing-there' } as const;
      return { writes: {}, answer: { kind: 'not-saved', because, unsavedOperationId: null } };
    }
    // What was dropped stands for nothing any more: the order's refund may have been begun anew since.
    if (historyOf(proposal).ending?.how === 'dropped') {
      const begun = openDrafts(snapshot, world.subject, order.id)[0];
      if (begun) return met(begun);
      const live = liveProposal(snapshot, world.subject, order.id, new Set());
      if (live) return alreadyQueued(live);
    }
    return opened(newDraft(world, order, { content: contentOfProposal(proposal), supersedes: operationId }));
  };

const notSaved = (because: Extract<Saved, { saved: false }>['because']): Decision<Saved> => ({
  writes: {},
  answer: { saved: false, because },
});

const ownDraft = (snapshot: RefundSnapshot, subject: string, operationId: string): Draft | undefined =>
  snapshot.drafts.find((draft) => draft.operationId === operationId && draft.subject === subject);

const closed = (snapshot: RefundSnapshot, operationId: string): Decision<Saved> => {
  const queued = snapshot.records.some(({ entry }) => entry.operationId === operationId);
  return notSaved(queued ? { reason: 'queued-otherwise', operationId } : { reason: 'draft-closed' });
};

export const decideSaveDraft =
  (world: { subject: string; nowMs: number }, operationId: string, content: DraftContent) =>
  (snapshot: RefundSnapshot): Decision<Saved> => {
    const draft = ownDraft(snapshot, world.subject, operationId);
    if (!draft) return closed(snapshot, operationId);
    const row: DraftRow = {
      v: rowVersion,
      operationId,
      subject: draft.subject,
      orderId: draft.order.id,
      order: { ...draft.order, lines: [...draft.order.lines] },
      content: { ...content },
      otherThan: draft.otherThan,
      supersedes: draft.supersedes,
      begunAtMs: draft.begunAtMs,
      savedAtMs: world.nowMs,
    };
    return { writes: { putDrafts: [row] }, answer: { saved: true } };
  };

export const decideDiscardDraft =
  (world: { subject: string }, operationId: string) =>
  (snapshot: RefundSnapshot): Decision<Saved> => {
    if (!ownDraft(snapshot, world.subject, operationId)) return closed(snapshot, operationId);
    return { writes: { deleteDrafts: [operationId] }, answer: { saved: true } };
  };
