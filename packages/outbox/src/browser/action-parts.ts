import type { ActionOutboxOptions, ActionSchema } from '../actions/action-interface.ts';
import { actionRows, actionWire } from '../actions/action-words.ts';
import type { ActionWords } from '../actions/action-words.ts';
import { defaultPauses } from '../send/backoff.ts';
import type { WireLanguage } from '../send/wire-language.ts';
import { browserClock } from './browser-world.ts';
import { createQueueParts } from './queue-parts.ts';
import type { QueueParts, QueueSettings } from './queue-parts.ts';

export type ActionSettings<Action> = QueueSettings & {
  readonly schema: ActionSchema<Action>;
  readonly subject: string;
  readonly protocol: number;
  readonly wire: WireLanguage<ActionWords<Action>>;
};

export const actionSettingsOf = <Action>(options: ActionOutboxOptions<Action>): ActionSettings<Action> => {
  const target = new URL(options.sendTo, location.href);
  return {
    baseUrl: target.origin,
    name: options.name,
    requestTimeoutMs: options.requestTimeoutMs ?? 20_000,
    pauses: {
      firstMs: options.firstPauseMs ?? defaultPauses.firstMs,
      longestMs: options.longestPauseMs ?? defaultPauses.longestMs,
    },
    useLocks: options.useLocks ?? true,
    appVersion: options.appVersion ?? null,
    clock: browserClock,
    schema: options.action,
    subject: options.subject,
    protocol: options.protocol ?? 1,
    wire: actionWire<Action>(`${target.pathname}${target.search}`),
  };
};

export const createActionParts = <Action>(
  settings: ActionSettings<Action>,
): QueueParts<ActionWords<Action>> =>
  createQueueParts<ActionWords<Action>>(settings, {
    stored: actionRows(settings.schema),
    wire: settings.wire,
    protocolHeader: 'Outbox-Protocol',
    // A server of plain actions tells no more than its verdicts.
    told: { epoch: () => Promise.resolve(0), applyOperations: () => Promise.resolve() },
    makeRoom: () => Promise.resolve(),
    settleSignOut: () => Promise.resolve('nothing-owed'),
  });
