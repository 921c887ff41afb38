import type { ProviderLedger } from '@holdfast/operation';

/** What this page knows of the provider's side, and what it is doing to know more. */
export type ProviderLook = {
  /** Which operation in which state the ledger belongs to; '' before the first. */
  readonly standing: string;
  readonly ledger: ProviderLedger | null;
  /** Under way: for which standing it was asked. */
  readonly asking: string | null;
  /** Asked for again while one was under way. */
  readonly wanted: boolean;
  /** The last question was not answered by the server. */
  readonly unanswered: boolean;
};

export const nothingSeen: ProviderLook = {
  standing: '',
  ledger: null,
  asking: null,
  wanted: false,
  unanswered: false,
};

/** The look as it is now, and whether a question goes out. */
export type LookStep = { readonly look: ProviderLook; readonly ask: boolean };

const asks = (look: ProviderLook): LookStep => ({
  look: { ...look, asking: look.standing, wanted: false },
  ask: true,
});

/** Somebody, or a change of the state, wants to see the provider's side. One question is under way at a time. */
export const wantLook = (look: ProviderLook): LookStep =>
  look.asking === null ? asks(look) : { look: { ...look, wanted: true }, ask: false };

/** It is another operation, or in another state: what was seen before says nothing of now, and is asked for again. */
export const standingMoved = (look: ProviderLook, standing: string): LookStep =>
  standing === look.standing
    ? { look, ask: false }
    : wantLook({ ...look, standing, ledger: null, unanswered: false });

/**
 * A question has ended; `null`: without an answer. What was asked for another standing is not shown, and what was wanted
 * meanwhile is asked for now. A look that is not replaced stays: it says when it was.
 */
export const lookEnded = (look: ProviderLook, answer: ProviderLedger | null): LookStep => {
  const ofNow = look.asking === look.standing;
  const ended: ProviderLook = {
    ...look,
    asking: null,
    ledger: ofNow && answer !== null ? answer : look.ledger,
    unanswered: ofNow && answer === null,
  };
  return look.wanted || !ofNow ? asks(ended) : { look: ended, ask: false };
};
