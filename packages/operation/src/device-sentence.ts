import { englishOnDevice, type MessagesOnDevice } from './messages/en-device.ts';
import type { DeviceState } from './state.ts';

/** What an item of this device waits for. */
export type QueuedUntil = 'connection' | 'sign-in' | 'open';

/** What is so of an item that the server has not acknowledged. */
export const deviceSentence = (
  state: DeviceState,
  queuedUntil: QueuedUntil = 'connection',
  messages: MessagesOnDevice = englishOnDevice,
): string => (state === 'queued' ? messages.queued[queuedUntil] : messages[state]);

/** An approved operation, with the whole seconds for which that can be taken back: `null` or 0 when it cannot. */
export const approvedSentence = (
  undoSeconds: number | null,
  messages: MessagesOnDevice = englishOnDevice,
): string => (undoSeconds !== null && undoSeconds > 0 ? messages.undo(undoSeconds) : messages.approved);

/**
 * What the server said of an approved operation, with the seconds as they are now: it says them only once. Whatever
 * else it said stays, above all that a person is waited for.
 */
export const approvedSentenceNow = (
  said: string,
  undoSeconds: number,
  messages: MessagesOnDevice = englishOnDevice,
): string => said.replace(messages.approvedLead, () => approvedSentence(undoSeconds, messages));
