import type { DeviceState } from './state.ts';

/** Everything that can happen to an operation on the device it was started on, until the server has answered. */
export const deviceEventTypes = [
  'save', // the person changes the draft
  'queue', // the person confirms it
  'edit', // the person wants to change what is queued or sent
  'send-started', // stored before the first byte leaves
  'no-answer', // no well-formed verdict came: nothing is known of the send
  'verdict', // a well-formed verdict that names the command
  'drop', // the person gives it up
] as const;
export type DeviceEventType = (typeof deviceEventTypes)[number];

export type DeviceAnswer =
  | {
      readonly answer: 'moved';
      /** `acknowledged`: the server has it, its own state counts from here. `dropped`: given up. */
      readonly to: DeviceState | 'acknowledged' | 'dropped';
      /** It may have been sent: a `cancel` of its ID goes out first, so that a late copy can do nothing. */
      readonly cancelFirst: boolean;
      /** What was edited goes on as a new draft with a new ID. */
      readonly newIntent: boolean;
    }
  | { readonly answer: 'ignored'; readonly because: string }
  | { readonly answer: 'refused'; readonly because: string };

const moved = (
  to: DeviceState | 'acknowledged' | 'dropped',
  cancelFirst = false,
  newIntent = false,
): DeviceAnswer => ({
  answer: 'moved',
  to,
  cancelFirst,
  newIntent,
});
const ignored = (because: string): DeviceAnswer => ({ answer: 'ignored', because });
const refused = (because: string): DeviceAnswer => ({ answer: 'refused', because });

/** Every device state × every device event; a missing cell does not compile. */
export const deviceTransitionTable: Readonly<
  Record<DeviceState, Readonly<Record<DeviceEventType, DeviceAnswer>>>
> = {
  draft: {
    save: moved('draft'),
    queue: moved('queued'),
    edit: ignored('It is a draft already.'),
    'send-started': refused('A draft is not confirmed; only what is queued may be sent.'),
    'no-answer': ignored('Nothing of it was sent.'),
    verdict: moved('acknowledged'), // another tab or device queued the same draft
    drop: moved('dropped'),
  },
  queued: {
    save: refused('It is confirmed; changing it is an edit.'),
    queue: ignored('It is queued already.'),
    edit: moved('draft'),
    'send-started': moved('sent'),
    'no-answer': ignored('Nothing of it was sent yet.'),
    verdict: moved('acknowledged'), // another tab sent it
    drop: moved('dropped'),
  },
  sent: {
    save: refused('It may have arrived; changing it is an edit under a new ID.'),
    queue: ignored('It was sent already and is sent again until there is a verdict.'),
    edit: moved('dropped', true, true),
    'send-started': ignored('It is sent again with the same bytes; it counts as sent already.'),
    'no-answer': ignored('It may have arrived; it is sent again with the same bytes.'),
    verdict: moved('acknowledged'),
    drop: moved('dropped', true),
  },
};

export const nextOnDevice = (state: DeviceState, event: DeviceEventType): DeviceAnswer =>
  deviceTransitionTable[state][event];
