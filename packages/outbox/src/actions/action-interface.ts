/** The public interface of `@holdfast/outbox/queue`: queues any action, with the promises that README.md lists. */
import type { Connectivity, KeptReason, NotSaved, Unsubscribe } from '../outbox-interface.ts';
import type { ProblemDetails } from '../queue/words.ts';
import type { ItemEvidence } from '../read/item-evidence.ts';

type Issue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};
type Validated<Action> =
  { readonly value: Action; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/**
 * A schema as https://standardschema.dev has it: of zod, valibot, arktype and others. It must answer at once (no
 * promise), and take what it gave: what is stored is read by it again.
 */
export type ActionSchema<Action> = {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Action> | Promise<Validated<Action>>;
  };
};

export type ActionOutboxOptions<Action> = {
  /** Names this outbox's database, locks and channel. One name has one schema. */
  readonly name: string;
  /** Where actions are sent, by POST. From the page's own origin, or a whole URL. */
  readonly sendTo: string;
  readonly action: ActionSchema<Action>;
  /** Whose actions these are. Nothing is sent under another. */
  readonly subject: string;
  /** Version of your wire, a whole number; goes out as `Outbox-Protocol`, kept with each action. Default 1. */
  readonly protocol?: number;
  /** Kept with each attempt in the record. */
  readonly appVersion?: string;
  /** Absolute deadline of one request, in milliseconds. Default 20 000. */
  readonly requestTimeoutMs?: number;
  /** First and longest pause between tries, in milliseconds. Default 1 000 and 60 000. */
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
  /** Do without Web Locks: the result is the same. Default: used where they exist. */
  readonly useLocks?: boolean;
};

/** One action on this device, with what is proved about it. */
export type QueuedAction<Action> = ItemEvidence<ProblemDetails> & {
  readonly id: string;
  readonly subject: string;
  readonly action: Action;
};

/** `again`: the same action was stored under this ID before; there is still one. */
export type ActionSaved =
  | { readonly saved: true; readonly id: string; readonly again: boolean }
  | { readonly saved: false; readonly because: NotSaved };

/** `may-have-been-sent`: it cannot be taken back from here. `giveUp` only stops sending it. */
export type ActionCancelled =
  | { readonly cancelled: true }
  | { readonly cancelled: false; readonly because: NotSaved | { readonly reason: 'may-have-been-sent' } };

export type ActionOutboxState = {
  /** From the last exchange, not from the radio. */
  readonly server: 'unknown' | 'reached' | 'not-reached';
  readonly trouble: KeptReason | null;
  readonly lastHeardAtMs: number | null;
  readonly signInNeeded: boolean;
  /** See `Connectivity.storage`: `ready` is the only one in which something can be saved. */
  readonly storage: Connectivity['storage'];
  /** Whether the browser promised to keep what is stored; `null` while it was not asked. */
  readonly storagePersisted: boolean | null;
};

export type ActionOutbox<Action> = {
  /** Opens storage and sends what is due. Resolves as soon as it is known how storage stands. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** A fresh ID for one intent, to be made when its form opens, so that a double tap stays one action. */
  newId(): string;
  /** `saved: true` only after a strictly durable write was read back. */
  queue(action: Action, options?: { readonly id?: string }): Promise<ActionSaved>;
  /** Tells at once and after each change, by whichever tab or worker: this person's newest 100, newest first. */
  watch(listener: (actions: readonly QueuedAction<Action>[]) => void): Unsubscribe;
  watchState(listener: (state: ActionOutboxState) => void): Unsubscribe;
  /** Tries everything now, whatever its pause. Resolves when the round is over. */
  sendNow(): Promise<void>;
  /** Takes back what was never sent. Recorded. */
  cancel(id: string): Promise<ActionCancelled>;
  /** A person's word that it is not to be sent again from here, though it may have been. Recorded. */
  giveUp(id: string): Promise<ActionCancelled>;
  /** A refusal was read: it no longer needs anybody. Recorded. */
  dismiss(id: string): Promise<ActionCancelled>;
  /** After each sign-in, also a renewed one: what waited for it goes out. */
  signedIn(subject: string): Promise<void>;
  /** Nobody is here: everything stays, and nothing is sent. */
  signedOut(): Promise<void>;
  /** This person's actions with all that happened to them, and rows that cannot be read, as JSON text. */
  exportRecord(): Promise<string>;
};
