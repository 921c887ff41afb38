import type { Proposal } from '@holdfast/operation';
import type { Begun, SentUnsaved } from '../outbox-interface.ts';
import type { SentBefore } from '../queue/queue-decision.ts';
import type { Intents } from '../queue/intents.ts';
import { UnsavedSends } from '../send/unsaved-send.ts';
import type { BrowserParts, BrowserSettings } from './browser-parts.ts';
import { mintIdBy } from './browser-world.ts';

/** The forms of this tab, for the case that storage does not take what is typed into them. */
export class UnsavedForms {
  readonly #sends: UnsavedSends;
  readonly #parts: BrowserParts;
  readonly #intents: Intents;

  /** @param subject who is here, as far as this screen knows */
  constructor(
    parts: BrowserParts,
    settings: BrowserSettings,
    intents: Intents,
    subject: () => string | null,
  ) {
    const { transport, told, board } = parts;
    this.#parts = parts;
    this.#intents = intents;
    this.#sends = new UnsavedSends({
      transport,
      told,
      subject,
      clock: settings.clock,
      mintId: mintIdBy(settings.clock),
      requestTimeoutMs: settings.requestTimeoutMs,
      heard: (trouble) => board.heard(trouble),
    });
  }

  /** Remembers what each form changes, so that it need not be read when storage is gone. */
  async noted(beginning: Promise<Begun>, supersedes: string | null): Promise<Begun> {
    const begun = await beginning;
    if (begun.kind === 'draft') this.#sends.opened(begun.draft.operationId, begun.draft.supersedes);
    if (begun.kind === 'not-saved' && begun.unsavedOperationId !== null) {
      this.#sends.opened(begun.unsavedOperationId, supersedes);
    }
    return begun;
  }

  sentBefore(operationId: string): SentBefore | null {
    return this.#sends.sentBefore(operationId);
  }

  async send(operationId: string, proposal: Proposal): Promise<SentUnsaved> {
    const { storage } = this.#parts.board.current;
    if (storage === 'read-only' || storage === 'updated-elsewhere') {
      return { kind: 'not-sent', because: { reason: 'newer-elsewhere' } };
    }
    const sent = await this.#sends.send(operationId, proposal);
    // Its draft, where one was stored before, is no longer a draft. Holdfast knows the ID whatever becomes of this.
    if (sent.kind === 'received') this.#intents.discardDraft(operationId).catch(() => undefined);
    return sent;
  }
}
