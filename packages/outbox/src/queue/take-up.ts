import { commandSchema } from '@holdfast/operation';
import type { NotSaved, TakenUp, TakenUpItem, TakenUpProposal } from '../outbox-interface.ts';
import { entryKeyOf } from './entry-history.ts';
import type { Decision } from './queue-store.ts';
import { rowVersion } from './stored-rows.ts';
import type { EntryRow } from './stored-rows.ts';
import { notSaved, recordsOf } from './records-of.ts';
import type { RefundSnapshot, RefundStore } from './refund-rows.ts';

export type TakeUpWorld = { readonly nowMs: number };

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

type Judged = { readonly answer: TakenUpItem; readonly entry: EntryRow | null };

const refused = (operationId: string, how: TakenUpItem['how']): Judged => ({
  answer: { operationId, how, itemKey: null },
  entry: null,
});

/** One proposal against what lies here under its ID. What is here always stays as it is. */
const judge = (
  snapshot: RefundSnapshot,
  world: TakeUpWorld & { readonly subject: string },
  { operationId, body, protocol }: TakenUpProposal,
): Judged => {
  const read = commandSchema.safeParse(parsedJson(body));
  if (!read.success || read.data.type !== 'propose') return refused(operationId, 'not-a-proposal');
  const { commandId, subject, orderId } = read.data;
  if (read.data.operationId !== operationId || commandId !== operationId) {
    return refused(operationId, 'not-a-proposal');
  }
  if (subject !== world.subject) return refused(operationId, 'another-person');
  const here = recordsOf(snapshot, operationId);
  const same = here.find(({ entry }) => entry.type === 'propose' && entry.body === body);
  if (same) {
    return { answer: { operationId, how: 'here-already', itemKey: same.entry.key }, entry: null };
  }
  // Other bytes, a form being filled in, a cancellation, a row nobody can read: this ID is spoken for here.
  const isDraft = snapshot.drafts.some((draft) => draft.operationId === operationId);
  const isUnreadable = snapshot.unreadable.some((row) => row.operationId === operationId);
  const isTaken = here.some(({ entry }) => entry.type === 'propose' || entry.type === 'cancel');
  if (isDraft || isUnreadable || isTaken) return refused(operationId, 'different-here');
  const key = entryKeyOf({ operationId, type: 'propose', commandId }, 1);
  const entry: EntryRow = {
    v: rowVersion,
    key,
    operationId,
    commandId,
    type: 'propose',
    subject: world.subject,
    orderId,
    position: here.length + 1,
    supersedes: null,
    protocol,
    body,
    queuedAtMs: world.nowMs,
    takenUp: true,
  };
  return { answer: { operationId, how: 'queued', itemKey: key }, entry };
};

/**
 * Proposals of another device's record go back into the queue with their IDs and their bytes. Each is judged by
 * itself, and an ID stands once: the second of two in one file meets the first.
 */
export const decideTakeUp =
  (world: TakeUpWorld, proposals: readonly TakenUpProposal[]) =>
  (snapshot: RefundSnapshot): Decision<TakenUp> => {
    const { subject } = snapshot.session;
    if (subject === null) return notSaved({ reason: 'signed-out' });
    const entries = new Map<string, EntryRow>();
    const items = proposals.map((proposal): TakenUpItem => {
      const taken = entries.get(proposal.operationId);
      if (taken !== undefined) {
        const how = taken.body === proposal.body ? 'here-already' : 'different-here';
        return { operationId: proposal.operationId, how, itemKey: taken.key };
      }
      const { answer, entry } = judge(snapshot, { ...world, subject }, proposal);
      if (entry !== null) entries.set(entry.operationId, entry);
      return answer;
    });
    return { writes: { addEntries: [...entries.values()] }, answer: { saved: true, items } };
  };

const storageFailed = (detail: string): NotSaved => ({ reason: 'storage-failed', detail });

const queuedKeys = (taken: TakenUp): readonly string[] =>
  taken.saved ? taken.items.flatMap(({ itemKey, how }) => (how === 'queued' ? (itemKey ?? []) : [])) : [];

/** All in one step, or nothing; "queued" is said only of what was read back. */
export const takeUp = async (
  store: RefundStore,
  world: TakeUpWorld,
  proposals: readonly TakenUpProposal[],
): Promise<TakenUp> => {
  try {
    const operationIds = [...new Set(proposals.map(({ operationId }) => operationId))];
    const { answer, isThere } = await store.changeAndReadBack<TakenUp>(
      { operationIds },
      decideTakeUp(world, proposals),
      queuedKeys,
    );
    return isThere ? answer : { saved: false, because: storageFailed('it was written and is not there') };
  } catch (error) {
    const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { saved: false, because: storageFailed(detail) };
  }
};
