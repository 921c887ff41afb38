import type { DeviceItem, SeenOperation } from '@holdfast/outbox';
import {
  approvedSentenceNow,
  deviceSentence,
  type QueuedUntil,
  type Amount,
  type Operation,
  type OperationDetail,
  type ShownState,
} from '@holdfast/operation';
import { words } from '../messages/messages.ts';
import { nowMs } from '../parts/clock.svelte.ts';
import { mintedAt, type Thread, type ThreadLocal, threadOf } from '../thread/thread-of.ts';
import { undoSecondsLeft } from './undo-seconds.ts';
import { type Tone, toneOf } from '../thread/tone-of.ts';

/** One operation as a row or a page shows it. The server's words win; the device speaks only where it has none. */
export type ShownOperation = {
  readonly id: string;
  readonly state: ShownState;
  readonly needsPerson: boolean;
  readonly tone: Tone;
  readonly amount: Amount | null;
  readonly orderId: string | null;
  readonly sentence: string;
  readonly thread: Thread;
  readonly provider: string;
  /** ISO 8601 UTC; by this device's clock when the server has told nothing. */
  readonly at: string;
  readonly byDeviceClock: boolean;
};

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

export const proposalItem = (seen: SeenOperation): DeviceItem | null =>
  seen.items.find(({ type }) => type === 'propose') ?? null;

/** A decision of this device that the server has not answered yet. */
export const openDecision = (seen: SeenOperation): DeviceItem | null =>
  seen.items.findLast(({ type, standing }) => type !== 'propose' && standing === 'open') ?? null;

/** When somebody confirmed it on this device, by this device's clock. */
const confirmedAtOf = (seen: SeenOperation): string | null => {
  const proposal = proposalItem(seen);
  return proposal === null ? null : iso(proposal.queuedAtMs);
};

const localOf = (seen: SeenOperation): ThreadLocal | null => {
  const decision = openDecision(seen);
  if (seen.synced !== null && decision !== null) {
    return {
      command: 'decide',
      state: decision.safety === 'sent' ? 'sent' : 'queued',
      at: iso(decision.queuedAtMs),
      confirmedAt: confirmedAtOf(seen),
    };
  }
  const proposal = proposalItem(seen);
  if (proposal === null) return null;
  return {
    command: 'propose',
    state: proposal.safety === 'sent' || proposal.safety === 'received' ? 'sent' : 'queued',
    at: iso(proposal.queuedAtMs),
    confirmedAt: confirmedAtOf(seen),
  };
};

/** A connection alone is enough only where the browser opens the app for it; elsewhere a person has to. */
const sentBy: QueuedUntil =
  'serviceWorker' in navigator && 'SyncManager' in globalThis ? 'connection' : 'open';

const sentenceOnDevice = (seen: SeenOperation, signInNeeded: boolean): string => {
  if (seen.droppedHere) return words.row.droppedHere;
  const item = proposalItem(seen);
  if (item === null) return deviceSentence('draft');
  const isRefused = item.ending?.how === 'verdict' && item.ending.status === 'rejected';
  if (item.standing === 'needs-you' || isRefused) return words.row.refusedHere;
  // Its answer is here, and what it says of the operation is not: the caches may have been cleared since.
  if (item.safety === 'received') return words.device.safety.received;
  if (item.safety === 'sent') return deviceSentence('sent');
  if (item.safety === 'maybe-sent') return words.device.safety['maybe-sent'];
  return deviceSentence('queued', signInNeeded || item.notSentBecause === 'sign-in' ? 'sign-in' : sentBy);
};

const threadFor = (seen: SeenOperation, settledAt: string | null): Thread => {
  const local = localOf(seen);
  if (seen.synced !== null) return threadOf(seen.synced, local, settledAt);
  const at = mintedAt(seen.operationId) ?? iso(0);
  return threadOf(null, local ?? { command: 'propose', state: 'draft', at });
};

/** The server's sentence; the seconds of the undo window run on here, since the server says them only once. */
const serverSentence = (operation: Operation): string => {
  if (operation.waitingFor !== 'undo' || operation.undoUntil === null) return operation.sentence;
  return approvedSentenceNow(operation.sentence, undoSecondsLeft(operation, nowMs()));
};

type Circumstances = {
  /** When the provider's answer was recorded, where the history is at hand. */
  readonly settledAt?: string | null;
  /** Nothing is sent until somebody signs in. */
  readonly signInNeeded: boolean;
};

export const shownOperation = (
  seen: SeenOperation,
  { settledAt = null, signInNeeded }: Circumstances,
): ShownOperation => {
  const { synced, proposal } = seen;
  const needsPerson = synced?.needsPerson ?? false;
  return {
    id: seen.operationId,
    state: seen.shownState,
    needsPerson,
    tone: toneOf(seen.shownState, needsPerson),
    amount: synced?.amount ?? proposal?.amount ?? null,
    orderId: synced?.orderId ?? proposal?.orderId ?? null,
    sentence: synced === null ? sentenceOnDevice(seen, signInNeeded) : serverSentence(synced),
    thread: threadFor(seen, settledAt),
    provider: words.row.provider(synced?.provider.name ?? 'stripe'),
    at: synced?.updatedAt ?? confirmedAtOf(seen) ?? mintedAt(seen.operationId) ?? iso(0),
    byDeviceClock: synced === null,
  };
};

/** When the operation came into the state it is in: the first entry of the last run of that state in its history. */
export const settledAtOf = (detail: OperationDetail): string | null => {
  const before = detail.timeline.findLastIndex(({ state }) => state !== undefined && state !== detail.state);
  return detail.timeline.slice(before + 1).find(({ state }) => state === detail.state)?.at ?? null;
};
