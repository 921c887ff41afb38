import type { Draft, NotSaved, Outbox } from '@holdfast/outbox';
import type { Proposal } from '@holdfast/operation';
import { figuresText } from '../../parts/money.ts';
import {
  contentOfProposal,
  hasContent,
  readContent,
  storedContent,
  type RefundContent,
} from './refund-content.ts';

/** How sure we are that what is in the form would survive closing the app. */
export type Keeping = 'kept' | 'changing' | 'not-kept' | 'closed';

/** What a form is filled in under: a stored draft, or an ID for this screen alone where nothing can be stored. */
export type FormUnder =
  | { readonly stored: true; readonly draft: Draft }
  | { readonly stored: false; readonly operationId: string; readonly because: NotSaved };

/**
 * The form's contents and the draft they are kept in. A change is stored at once; what is typed while that goes on is
 * stored together, right after. Another tab's changes of the same draft are taken over while nothing is being typed
 * here.
 */
export class RefundDraft {
  readonly operationId: string;
  #content: RefundContent;
  #keeping = $state<Keeping>('kept');
  #savedAtMs: number;
  #writing: Promise<void> | null = null;
  #untouched: boolean;
  readonly #isStored: boolean;
  readonly #outbox: Outbox;

  constructor(outbox: Outbox, under: FormUnder, fresh: RefundContent) {
    this.#outbox = outbox;
    this.#isStored = under.stored;
    this.operationId = under.stored ? under.draft.operationId : under.operationId;
    this.#savedAtMs = under.stored ? under.draft.savedAtMs : 0;
    const content = under.stored ? under.draft.content : {};
    this.#untouched = !hasContent(content);
    this.#content = $state.raw(hasContent(content) ? readContent(content) : fresh);
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
    void this.keep();
  }

  /** Stores what is there now. Resolves once it is kept or known not to be. */
  async keep(): Promise<void> {
    if (!this.#isStored) return;
    while (this.#keeping === 'changing') {
      this.#writing ??= this.#write();
      await this.#writing;
    }
  }

  async #write(): Promise<void> {
    const stored = this.#content;
    const saved = await this.#outbox.saveDraft(this.operationId, storedContent(stored));
    this.#writing = null;
    if (!saved.saved) this.#keeping = isClosed(saved.because) ? 'closed' : 'not-kept';
    else if (this.#content === stored) this.#keeping = 'kept';
  }

  /** What is changed by a form that nothing could be stored of: it begins with that, as a stored one does. */
  startFrom(proposal: Proposal): void {
    if (this.#isStored || !this.#untouched) return;
    this.#content = contentOfProposal(proposal, figuresText(proposal.amount));
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
