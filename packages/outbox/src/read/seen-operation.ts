import type { Operation, Proposal, ShownState } from '@holdfast/operation';
import type { LiveQuery, SeenOperation } from '../live-query.ts';
import type { DeviceItem } from '../outbox-interface.ts';
import { matches, searchTextOfOperation, searchTextOfProposal } from './search-text.ts';

const proposalOf = (items: readonly DeviceItem[]): Proposal | null => {
  const command = items.findLast(({ type }) => type === 'propose')?.command;
  if (command?.type !== 'propose') return null;
  const { commandId: _id, operationId: _operation, subject: _subject, type: _type, ...proposal } = command;
  return proposal;
};

const deviceState = (items: readonly DeviceItem[]): ShownState =>
  items.some(({ type, safety }) => type === 'propose' && (safety === 'sent' || safety === 'received'))
    ? 'sent'
    : 'queued';

/** The server's word and the device's word of one operation, side by side; `null` when neither has any. */
export const seenOperation = (
  operationId: string,
  synced: Operation | null,
  items: readonly DeviceItem[],
): SeenOperation | null => {
  if (synced === null && items.length === 0) return null;
  const proposals = items.filter(({ type }) => type === 'propose');
  return {
    operationId,
    synced,
    proposal: proposalOf(items),
    items,
    shownState: synced?.state ?? deviceState(items),
    droppedHere: proposals.length > 0 && proposals.every(({ ending }) => ending?.how === 'dropped'),
  };
};

type OperationsQuery = Extract<LiveQuery, { of: 'operations' }>;

const fieldMatches = (wanted: string | undefined, ...values: (string | null | undefined)[]): boolean =>
  wanted === undefined || values.includes(wanted);

/** Whether a list's query is about this operation. Local proposals take part with what was proposed. */
export const isAskedFor = (seen: SeenOperation, query: OperationsQuery): boolean => {
  const { synced, proposal } = seen;
  if (synced === null && (proposal === null || seen.droppedHere)) return false;
  if (query.states && !query.states.includes(seen.shownState)) return false;
  if (query.needsPerson !== undefined && (synced?.needsPerson ?? false) !== query.needsPerson) return false;
  if (!fieldMatches(query.orderId, synced?.orderId, proposal?.orderId)) return false;
  if (!fieldMatches(query.ticketId, synced?.ticketId, proposal?.ticketId)) return false;
  if (!fieldMatches(query.paymentReference, synced?.paymentReference)) return false;
  if (query.text === undefined) return true;
  const text = `${synced ? searchTextOfOperation(synced) : ''} ${proposal ? searchTextOfProposal(proposal) : ''}`;
  return matches(text, query.text);
};

/** IDs are UUIDv7, so their order is the order in which the intents began: newest first. */
export const newestFirst = (one: SeenOperation, other: SeenOperation): number =>
  one.operationId < other.operationId ? 1 : one.operationId > other.operationId ? -1 : 0;
