/** Queues any action, with the promises of README.md. Refunds are `@holdfast/outbox/browser`. */
import type { ActionOutbox, ActionOutboxOptions } from '../actions/action-interface.ts';
import { BrowserActionOutbox } from './action-outbox.ts';
import { actionSettingsOf, createActionParts } from './action-parts.ts';
import { longestTurnMs, sendTurn } from './send-turn.ts';

export type * from '../actions/action-interface.ts';
export { backgroundSyncTag } from './background-sync.ts';

/** Opens nothing by itself: `start` does. One per page and name. */
export const createActionOutbox = <Action>(options: ActionOutboxOptions<Action>): ActionOutbox<Action> =>
  new BrowserActionOutbox(actionSettingsOf(options));

/**
 * One round of sending, for a service worker's `sync` event, beside whatever the pages do.
 * @returns how many actions still wait; a `sync` event should reject while it is not 0
 */
export const sendActionsOnce = <Action>(
  options: ActionOutboxOptions<Action>,
  turnMs = longestTurnMs,
): Promise<{ readonly waiting: number }> =>
  sendTurn(createActionParts(actionSettingsOf(options)), { turnMs, giveWay: null });
