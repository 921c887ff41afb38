/**
 * What a user interface may ask of the outbox. Everything here is about this device: what is stored here, what was
 * sent, what the server told. Nothing here judges a refund.
 *
 * Words: a *draft* is an intent being filled in; an *item* is one command stored for sending; *safety* says how much
 * is proved about an item. Times ending in `Ms` are milliseconds since the Unix epoch by this device's clock.
 */
import type {
  Assertion,
  Command,
  CommandResult,
  CommandType,
  Operation,
  Order,
  Problem,
  Proposal,
} from '@holdfast/operation';
import type { LiveQuery, LiveRead, LiveValue } from './live-query.ts';

export type Unsubscribe = () => void;

/** What the form was opened on: kept with the draft, so that it can be said what has changed since. */
export type OrderSeen = Pick<Order, 'id' | 'version' | 'lines' | 'refundable'>;

/** The form's own fields, as typed. The outbox keeps them and reads none of them. */
export type DraftContent = { readonly [field: string]: DraftValue };
export type DraftValue = string | number | boolean | null | readonly DraftValue[] | DraftContent;

export type Draft = {
  /** The operation's ID, minted when the intent began and stored before this draft was returned. */
  readonly operationId: string;
  readonly subject: string;
  readonly order: OrderSeen;
  readonly content: DraftContent;
  /** For a second, different refund: the operation that it is different from. */
  readonly otherThan: string | null;
  /** For a revision of an item that was queued before: that item's operation. Its cancellation goes first. */
  readonly supersedes: string | null;
  readonly begunAtMs: number;
  readonly savedAtMs: number;
};

/**
 * `draft`: fill it in (new, or the one that is already open for this order on this device).
 * `already-queued`: this device has a refund of this order that has not ended; show it, and offer `beginAnother`.
 */
export type Begun =
  | { readonly kind: 'draft'; readonly draft: Draft; readonly isNew: boolean }
  | { readonly kind: 'already-queued'; readonly operationId: string }
  /**
   * Storage did not take the draft. `unsavedOperationId` is an ID for this screen alone, kept in its memory: the form
   * can be filled in and sent at once with `sendUnsaved`. `null` where there is nothing to fill in.
   */
  | { readonly kind: 'not-saved'; readonly because: NotSaved; readonly unsavedOperationId: string | null };

/** Why something is not saved. The form stays as it is; the screen says "Not saved". */
export type NotSaved =
  | { readonly reason: 'storage-failed'; readonly detail: string }
  /** What is stored here is of a newer version of the app: this tab only shows. Reload it. */
  | { readonly reason: 'newer-elsewhere' }
  /** This browser has no cryptographic source of chance, and an ID that could be met twice is not made. */
  | { readonly reason: 'no-safe-id' }
  | { readonly reason: 'signed-out' }
  | { readonly reason: 'invalid'; readonly issues: readonly { path: string; message: string }[] }
  /** Another tab discarded this draft, or it never was one of this device. */
  | { readonly reason: 'draft-closed' }
  /** The draft was queued meanwhile (another tab, an earlier click) with other content: look at that item. */
  | { readonly reason: 'queued-otherwise'; readonly operationId: string }
  /** Nothing to do: no such item on this device, or the server already holds its verdict. */
  | { readonly reason: 'nothing-there' }
  /** Something else took its place meanwhile, so it cannot come back: look at that one. */
  | { readonly reason: 'replaced'; readonly operationId: string };

export type Saved = { readonly saved: true } | { readonly saved: false; readonly because: NotSaved };

/** `again`: the very same intent was stored before (double click, second tab); there is still one item. */
export type Queued =
  | { readonly saved: true; readonly again: boolean; readonly operationId: string; readonly itemKey: string }
  | { readonly saved: false; readonly because: NotSaved };

/** What a person decides. The command's ID is minted here, once for each intent, and stored before sending. */
export type DecisionIntent =
  | {
      readonly type: 'approve';
      readonly operationId: string;
      readonly fingerprint: string;
      readonly seen?: { readonly refundable: Order['refundable']; readonly orderVersion: number };
      /** Version of the operation on the screen. It is not sent: it tells a second tap from a new approval. */
      readonly seenVersion?: number;
      /** The passkey's signature over this approval, with the command's ID that is part of what was signed. */
      readonly signature?: { readonly commandId: string; readonly assertion: Assertion };
    }
  | { readonly type: 'withdraw'; readonly operationId: string }
  | { readonly type: 'deny'; readonly operationId: string; readonly reason: string }
  | { readonly type: 'cancel'; readonly operationId: string; readonly reason: string }
  | {
      readonly type: 'resolve';
      readonly operationId: string;
      readonly version: number;
      readonly outcome: 'confirmed' | 'failed';
      readonly providerReference?: string;
      readonly note: string;
    };

/**
 * `queued`: stored, will be sent. `dropped`: what it undoes had never been sent, so that was dropped here, with a
 * record, and nothing is sent (cancel of an unsent proposal, withdraw of an unsent approval).
 */
export type Decided =
  | { readonly saved: true; readonly how: 'queued'; readonly again: boolean; readonly itemKey: string }
  | { readonly saved: true; readonly how: 'dropped'; readonly itemKey: string }
  | { readonly saved: false; readonly because: NotSaved };

/**
 * What dropping an item came to. `dropped`: it was never sent; it can be taken up again with `undoDrop`. `cancelling`,
 * `withdrawing`: it may have been sent, so that counter-message goes out. `given-up`: it may have been sent and nothing
 * takes it back; it is only not sent again from here.
 */
export type Dropped =
  | {
      readonly saved: true;
      readonly how: 'dropped' | 'cancelling' | 'withdrawing' | 'given-up';
      readonly itemKey: string;
    }
  | { readonly saved: false; readonly because: NotSaved };

/** Why an attempt did not bring a verdict. The item is kept in every case. */
export const keptReasons = [
  /** No connection could be made, or it broke: `fetch` cannot tell which. */
  'unreachable',
  'timed-out',
  /** The tab or browser ended during the request. */
  'interrupted',
  /** Something between us and Holdfast answered: a redirect or a web page, as in a hotel's network. */
  'network-sign-in',
  /** An answer that is not Holdfast's. */
  'foreign-answer',
  /** Holdfast does not know who we are: sign in. */
  'sign-in',
  /** The session is another person's than the item's. */
  'wrong-subject',
  'not-allowed',
  'slow-down',
  'server-trouble',
  'too-large',
  /** Holdfast's answer, or its problem's type, is none that this version knows. */
  'not-understood',
  /** This version of the app is too old for the server. */
  'update-needed',
  /** The server does not know the operation (yet): the one who proposed it may not have been connected. */
  'not-known-there',
] as const;
export type KeptReason = (typeof keptReasons)[number];

export type NotSentReason =
  | KeptReason
  | 'not-tried-yet'
  /** Belongs to someone who is not signed in here now. */
  | 'other-subject'
  /** Waits for an earlier command of the same operation, or for the cancellation of what it supersedes. */
  | 'behind-another'
  /** What it supersedes could not be cancelled: it stays here until a person drops it. */
  | 'earlier-not-cancelled'
  | 'unreadable';

/**
 * What came of sending without an offline copy. Nothing of it is stored; the same press again sends the same bytes.
 * `operationId` is the one that was sent, which is another than the one asked with when the earlier text had to be
 * cancelled first.
 */
export type SentUnsaved =
  /** Holdfast has it. */
  | { readonly kind: 'received'; readonly operationId: string; readonly operation: Operation | null }
  | { readonly kind: 'refused'; readonly operationId: string; readonly problem: Problem }
  /**
   * No verdict was heard. `mayHaveBeenSent`: this text may have reached Holdfast; press again, it stays one refund.
   * `false`: Holdfast did not take it, or (after a change of the form) the earlier text's cancellation was not heard,
   * so that this one was not sent yet.
   */
  | {
      readonly kind: 'not-heard';
      readonly operationId: string;
      readonly reason: KeptReason;
      readonly mayHaveBeenSent: boolean;
    }
  /** The form was changed after an earlier text was sent, and that one can no longer be cancelled: look at it. */
  | { readonly kind: 'earlier-stands'; readonly operationId: string; readonly problem: Problem | null }
  /** Nothing left this device. */
  | { readonly kind: 'not-sent'; readonly because: NotSaved };

/**
 * `saved`: survives closing this browser; only on this device. `maybe-sent`: sending was begun, and nothing proves that
 * it left. `sent`: a request with it was handed to the network, no verdict heard.
 * `received`: Holdfast has it, it survives losing this device. (`not-saved` is what `queue` and `decide` answer.)
 */
export type Safety = 'saved' | 'maybe-sent' | 'sent' | 'received';

/** `open`: still to be sent. `needs-you`: refused or parked, a person looks. `closed`: has its end. */
export type Standing = 'open' | 'needs-you' | 'closed';

export type LastAttempt = {
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly result: 'verdict' | KeptReason | null;
  readonly status: number | null;
};

/** The first three were never sent, by a person's own act: they can be taken up again. */
export type DroppedBecause =
  | 'cancelled-unsent'
  | 'withdrawn-unsent'
  | 'dropped-unsent'
  /** Its cancellation was accepted. */
  | 'cancelled'
  /** Another word of the same person took its place. */
  | 'superseded'
  /** A person dropped what may have been sent; its counter-message went out, where there is one. */
  | 'given-up';

export type Ending<ItsProblem = Problem> =
  | {
      readonly how: 'verdict';
      readonly status: CommandResult['status'];
      readonly problem: ItsProblem | null;
      readonly atMs: number;
    }
  | {
      readonly how: 'dropped';
      readonly because: DroppedBecause;
      readonly atMs: number;
    };

/** One command on this device. It has fields of its own and never fills in the server's. */
export type DeviceItem = {
  readonly key: string;
  readonly operationId: string;
  readonly commandId: string;
  readonly type: CommandType;
  readonly subject: string;
  readonly command: Command;
  readonly safety: Safety;
  readonly standing: Standing;
  /** A request is under way right now (by this tab or another). */
  readonly sending: boolean;
  /** A request was begun at least once: dropping it now means sending a cancellation. */
  readonly mayHaveBeenSent: boolean;
  readonly queuedAtMs: number;
  readonly attemptCount: number;
  readonly lastAttempt: LastAttempt | null;
  readonly notSentBecause: NotSentReason | null;
  /** `null` when it is due now, parked, or ended. */
  readonly nextTryAtMs: number | null;
  readonly ending: Ending | null;
  /** It was dropped before it was sent and nothing took its place: `undoDrop` brings it back. */
  readonly mayUndoDrop: boolean;
  /** A decision that another word of the same person would still take the place of. */
  readonly mayReplace: boolean;
};

/** A stored record that this version cannot read: shown with its raw text, never skipped, never deleted. */
export type UnreadableRecord = {
  readonly table: string;
  readonly key: string;
  readonly operationId: string | null;
  readonly raw: string;
  readonly because: string;
  /** When it was first met; by this device's clock. Absent where that was not looked up. */
  readonly firstSeenAtMs?: number | null;
};

export type Connectivity = {
  /** From the last exchange with Holdfast, not from the radio. */
  readonly holdfast: 'unknown' | 'reached' | 'not-reached';
  readonly trouble: KeptReason | null;
  readonly sinceMs: number | null;
  readonly lastHeardAtMs: number | null;
  /**
   * `follower`: another tab holds the stream for this browser. `polling`: no stream comes through this network, so
   * Holdfast is asked every few seconds instead.
   */
  readonly feed: 'stopped' | 'connecting' | 'catching-up' | 'live' | 'polling' | 'follower' | 'waiting';
  readonly signInNeeded: boolean;
  /**
   * `blocked`: an older tab holds the storage back; it goes on by itself when that tab is closed. `updated-elsewhere`:
   * another tab has just brought a newer version; reload this one. `read-only`: what is stored is of a newer version
   * than this tab: it shows and exports, and neither writes nor sends; reload it. `failed`: nothing can be stored.
   */
  readonly storage: 'opening' | 'ready' | 'blocked' | 'updated-elsewhere' | 'read-only' | 'failed';
  /** The browser promised to keep our data; `null` while not asked. */
  readonly storagePersisted: boolean | null;
  /** When this device's list began. Young on a device that was used before: the browser lost what was here. */
  readonly listSinceMs: number | null;
};

/**
 * The browser cleared what was stored here: the list on this device is younger than one that is remembered outside of
 * it. Times are this device's. Shown until `evictionRead`.
 */
export type Eviction = {
  /** What was lost was written between these two times. */
  readonly lostSinceMs: number;
  readonly lostUntilMs: number;
  readonly detectedAtMs: number;
  /** How many items of all people waited here unsent when that was last noted. */
  readonly waiting: number;
  /**
   * Proposals among them of the person who is signed in, at most 25. `known`: Holdfast has it; `missing`: it was only
   * on this device and is gone; `not-asked`: it has not been possible to ask yet.
   */
  readonly proposals: readonly {
    readonly operationId: string;
    readonly atHoldfast: 'known' | 'missing' | 'not-asked';
  }[];
};

/** For the status pill. Derived from what is stored and what was answered, never from `navigator.onLine`. */
export type StatusSummary = {
  readonly allReceived: boolean;
  /** Items that the server has not acknowledged, of the current subject. */
  readonly waiting: number;
  readonly oldestWaitingSinceMs: number | null;
  /** Refused and parked items of this device, unreadable records included. */
  readonly needsYou: number;
  /** Synced operations whose outcome is unknown. */
  readonly unknown: number;
  /** Synced operations that need a person. */
  readonly needsPerson: number;
  /** Items that only wait for a sign-in. */
  readonly signInToSend: number;
  /** Items of other people that share this device; they go out only under them. */
  readonly otherSubjects: number;
  /** Items of this very person for their other organisations: they go out once the session is for that one. */
  readonly elsewhere: readonly { readonly subject: string; readonly waiting: number }[];
  readonly drafts: number;
  readonly unreadable: number;
  readonly lastVerdictAtMs: number | null;
};

/** A proposal out of a record: `body` is the command's exact JSON text. */
export type TakenUpProposal = {
  readonly operationId: string;
  readonly body: string;
  readonly protocol: number;
};

/**
 * `different-here`: this device holds something else under that ID, which stays. `another-person`: only its own
 * author may take it up.
 */
export type TakenUpItem = {
  readonly operationId: string;
  readonly how: 'queued' | 'here-already' | 'different-here' | 'another-person' | 'not-a-proposal';
  readonly itemKey: string | null;
};

export type TakenUp =
  | { readonly saved: true; readonly items: readonly TakenUpItem[] }
  | { readonly saved: false; readonly because: NotSaved };

export type Outbox = {
  /**
   * Opens storage, reads the feed, sends what is due. Without `subject` the last one who signed in here counts (so
   * the app works offline); `null` is nobody: nothing is sent, the queue stays.
   */
  start(options?: { subject?: string | null }): Promise<void>;
  stop(): Promise<void>;
  /** The subject that drafts and items are written for now. */
  subject(): string | null;
  /** After each sign-in, also a renewed one: parked items of this subject go out. */
  signedIn(subject: string): Promise<void>;
  /**
   * Caches of the subject are dropped; drafts and queue stay, sealed to it. The server's session is ended by the
   * outbox: at once, or first thing when there is a connection. Until then nothing is sent or read.
   */
  signedOut(): Promise<void>;
  /**
   * Call it before a sign-in, and before anything else is asked with the browser's cookie: sends a sign-out that is
   * owed. `false`: the server was not heard to end that session, and its cookie must not be used.
   */
  settleSignOut(): Promise<boolean>;

  begin(order: OrderSeen): Promise<Begun>;
  /** A second, different refund of the order. Asked twice for the same `otherThan`, it is the same draft. */
  beginAnother(order: OrderSeen, otherThan: string): Promise<Begun>;
  /**
   * A new draft with a new ID, filled from a queued or refused proposal. When it is queued the old one is dropped
   * (never sent) or its cancellation goes first (may have been sent).
   */
  revise(operationId: string, order: OrderSeen): Promise<Begun>;
  saveDraft(operationId: string, content: DraftContent): Promise<Saved>;
  discardDraft(operationId: string): Promise<Saved>;
  /** `saved: true` only after a strictly durable write was read back. */
  queue(operationId: string, proposal: Proposal): Promise<Queued>;
  /**
   * After "not saved": sends the proposal now, while this screen stays open. Takes the ID of `begin` (stored or
   * `unsavedOperationId`). The ID and the bytes stay the same for each press. A form that was changed after its text
   * may have been sent gets a new ID, and the old one's cancellation is heard first.
   */
  sendUnsaved(operationId: string, proposal: Proposal): Promise<SentUnsaved>;
  /** The notice of a lost list was read. It stays in the device's record. */
  evictionRead(): Promise<Saved>;
  /** After `possible-duplicate`: the same operation again, saying which ones it is different from. */
  goOn(operationId: string, differentFrom: readonly string[]): Promise<Queued>;

  decide(intent: DecisionIntent): Promise<Decided>;
  /** A refusal has been read: the item leaves "needs you" and stays in the device's record. */
  dismiss(itemKey: string): Promise<Saved>;
  /** A person no longer wants an item sent, whatever it waits for. Recorded; says what that came to. */
  drop(itemKey: string): Promise<Dropped>;
  /** Takes back the drop of what was never sent: the same item under the same ID with the same bytes. */
  undoDrop(itemKey: string): Promise<Saved>;

  /** Tries everything now, whatever its pause. Resolves when the round is over. */
  sendNow(): Promise<void>;
  /** Calls the listener with `loading` at once, then with each change, from whichever tab, worker or stream. */
  watch<Query extends LiveQuery>(
    query: Query,
    listener: (read: LiveRead<LiveValue<Query>>) => void,
  ): Unsubscribe;
  /**
   * The signed-in person's drafts, items with their attempts and verdicts, and unreadable rows, as the JSON text of a
   * `DeviceRecordFile`. Empty when nobody is signed in. Other people's rows are exported under them only.
   */
  exportRecord(): Promise<string>;
  /**
   * Puts proposals of another device's record back into the queue, with their IDs and their bytes, all in one step.
   * Ask Holdfast for every ID first: only what it does not know belongs here.
   */
  takeUpRecord(proposals: readonly TakenUpProposal[]): Promise<TakenUp>;
};
