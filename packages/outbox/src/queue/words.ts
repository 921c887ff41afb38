/**
 * What a product says through the queue. The queue, its stores and its sender know no product: they know that a text
 * names its action, and how that language reads it. Holdfast's refunds are one such language (`refund-rows.ts`,
 * `../send/refund-wire.ts`), plain actions are another (`../actions`).
 */
import type { UnreadableRecord } from '../outbox-interface.ts';

/** A problem as RFC 9457 has it, as far as the queue itself looks at one. */
export type ProblemDetails = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string | undefined;
};

/** What the queue itself looks at in a draft. */
export type StoredDraft = {
  readonly operationId: string;
  readonly subject: string;
  readonly order: { readonly id: string };
  readonly supersedes: string | null;
};

/** What the queue keeps of the state that a server tells beside a verdict. */
export type ToldState = { readonly id: string; readonly state: string; readonly version: number };

/** The types of one language. */
export type Words = {
  readonly command: unknown;
  readonly draft: StoredDraft;
  readonly problem: ProblemDetails;
  readonly told: ToldState;
};

/** What each stored text says of itself. It must be what its row says of it, or the row is set aside. */
export type Envelope = {
  readonly commandId: string;
  readonly operationId: string;
  readonly type: string;
  readonly subject?: string | undefined;
};

export type Reading<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly because: string };

/** How one language reads what was stored. Synchronous: it is asked within a transaction. */
export type StoredLanguage<W extends Words> = {
  readCommand(json: unknown): Reading<{ readonly command: W['command']; readonly envelope: Envelope }>;
  readDraft(raw: unknown): Reading<W['draft']>;
  readProblem(raw: unknown): Reading<W['problem']>;
};

export type ReadRow<Row> =
  | { readonly kind: 'read'; readonly row: Row }
  | { readonly kind: 'unreadable'; readonly record: UnreadableRecord };
