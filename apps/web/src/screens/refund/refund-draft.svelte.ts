import type { Draft, NotSaved, Outbox } from '@holdfast/outbox';
import { hasContent, readContent, storedContent, type RefundContent } from './refund-content.ts';

/** How sure we are that what is in the form would survive closing the app. */
export type Keeping = 'kept' | 'changing' | 'not-kept' | 'closed';

const typingPauseMs = 400;

/**
 * The form's contents and the draft they are kept in. Every change is stored after a short pause; another tab's
 * changes of the same draft are taken over while nothing is being typed here.
 */
export class RefundDraft {
  readonly operationId: string;
  #content: RefundContent;
  #keeping = $state<Keeping>('kept');
  #savedAtMs: number;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #untouched: boolean;
  readonly #outbox: Outbox;

  constructor(outbox: Outbox, draft: Draft, fresh: RefundContent) {
    this.#outbox = outbox;
    this.operationId = draft.operationId;
    this.#savedAtMs = draft.savedAtMs;
    this.#untouched = !hasContent(draft.content);
    this.#content = $state.raw(hasContent(draft.content) ? readContent(draft.content) : fresh);
  }

  get content(): RefundContent {
    return this.#content;
  }

  /** Nothing was ever entered: neither here nor before. */
  get isUntouched(): boolean {
    return this.#untouched;
  }

  get keeping(): Keeping {
    return this.#keeping;
  }

  change(part: Partial<RefundContent>): void {
    this.#content = { ...this.#content, ...part };
    this.#keeping = 'changing';
    this.#untouched = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.keep(), typingPauseMs);
  }

  /** Stores what is there now. Resolves once it is kept or known not to be. */
  async keep(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#keeping !== 'changing') return;
    const stored = this.#content;
    const saved = await this.#outbox.saveDraft(this.operationId, storedContent(stored));
    if (!saved.saved) this.#keeping = isClosed(saved.because) ? 'closed' : 'not-kept';
    else if (this.#content === stored) this.#keeping = 'kept';
  }

  /** What the store says about this draft now: another tab may have changed it. */
  seen(draft: Draft): void {
    if (this.#keeping !== 'kept' || draft.savedAtMs <= this.#savedAtMs || !hasContent(draft.content)) return;
    this.#savedAtMs = draft.savedAtMs;
    this.#untouched = false;
    this.#content = readContent(draft.content);
  }
}

const isClosed = ({ reason }: NotSaved): boolean =>
  reason === 'draft-closed' || reason === 'queued-otherwise';
