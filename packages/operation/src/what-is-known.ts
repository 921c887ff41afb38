import type { AttentionReason } from './attention.ts';
import { englishKnown, type KnownMessages } from './messages/en-known.ts';
import type { OperationState } from './state.ts';
import type { ProviderRefund } from './wire/case-message.ts';

/** What one person said of an outcome, and when, for people: "14:05". */
export type PersonsWord = {
  readonly name: string;
  /** Empty where it was not kept. */
  readonly note: string;
  readonly atText: string | null;
};

/** The evidence of one operation as an operator has it on the screen. What is left out is not known here. */
export type KnownFacts = {
  readonly state: OperationState;
  readonly attention: readonly AttentionReason[];
  /** What people call the provider: "Stripe". */
  readonly providerName: string;
  readonly providerReference: string | null;
  /** "EUR 6,95" */
  readonly amountText: string;
  readonly amount: { readonly minor: number; readonly currency: string } | null;
  readonly attempts: readonly { readonly endedAt: string | null; readonly result: string | null }[];
  /** Whether the same bytes may still go out under the same key. */
  readonly mayBeRepeated: boolean;
  /** Who said first how it ended, and what, while a second operator's word is missing. */
  readonly waitingFor: { readonly name: string; readonly outcome: 'confirmed' | 'failed' } | null;
  /** Who settled it, the first and who said the same; `null` where no person settled it. */
  readonly settledByPeople?: {
    readonly outcome: 'confirmed' | 'failed';
    readonly words: readonly PersonsWord[];
  } | null;
  /** It is contradicted by having been carried out, and nothing of its sending is on record; how many approvals are. */
  readonly carriedOutUnrecorded?: { readonly approvals: number } | null;
  /** The provider's refunds of the payment; `null` where it was not asked or gave no answer. */
  readonly ledger: readonly ProviderRefund[] | null;
  /** When it was asked for them, for people: "14:05:12". Said with all that the ledger shows. */
  readonly askedText: string;
};

/** A plain account: what is known, what is not, and what would settle it. Each a list of sentences. */
export type PlainAccount = {
  readonly known: readonly string[];
  readonly notKnown: readonly string[];
  readonly settles: readonly string[];
};

export const whatIsKnown = (facts: KnownFacts, messages: KnownMessages = englishKnown): PlainAccount => ({
  known: [
    ...sent(facts, messages),
    ...saidByPeople(facts, messages),
    ...(facts.carriedOutUnrecorded == null
      ? []
      : [messages.known.unrecorded(facts.carriedOutUnrecorded.approvals)]),
    ...ofState(facts, messages),
    ...atProvider(facts, messages),
  ],
  notKnown: openQuestions(facts, messages),
  settles: settling(facts, messages),
});

const heard = (result: string | null): boolean => result !== null && result !== 'unknown';

/** Attempts that came to nothing for certain: what is on record of them is no submission. */
const notSubmitted: readonly (string | null)[] = ['not-sent', 'deferred'];

const sent = ({ attempts, providerReference }: KnownFacts, { known }: KnownMessages): readonly string[] => {
  const submitted = attempts.filter(({ result }) => !notSubmitted.includes(result));
  if (submitted.length === 0) {
    if (attempts.length > 0) return [known.noneSubmitted];
    // What is not on record may have been all the same: a restored backup lacks what came after it.
    return providerReference === null ? [known.noRequest] : [];
  }
  const unheard = submitted.filter(({ endedAt, result }) => endedAt === null || !heard(result)).length;
  return [
    known.requests(submitted.length),
    ...(unheard === 0 ? [] : [known.unheard(unheard, submitted.length)]),
  ];
};

/** Each person's word under their own name, and that the provider has shown something else since, where it has. */
const saidByPeople = (facts: KnownFacts, { known, settles }: KnownMessages): readonly string[] => {
  const { settledByPeople: settled, attention, providerName: provider } = facts;
  if (settled == null) return [];
  const said = settles.outcome[settled.outcome];
  return [
    ...settled.words.map(({ name, note, atText }, index) =>
      (index === 0 ? known.recorded : known.recordedToo)(name, said, atText, note),
    ),
    ...(attention.includes('contradicted') ? [known.shownElse(provider)] : []),
  ];
};

const ofState = (facts: KnownFacts, { known }: KnownMessages): readonly string[] => {
  const { providerName: provider, providerReference: reference } = facts;
  switch (facts.state) {
    case 'proposed':
      return [known.proposed];
    case 'approved':
      return [known.approved];
    case 'submitting':
      return [known.submitting];
    case 'outcome_unknown':
      return [];
    case 'pending':
      return [known.pending(provider, reference)];
    case 'confirmed':
      return [reference === null ? known.confirmedByPeople : known.confirmed(provider, reference)];
    case 'failed':
      return [known.failed];
    case 'reversed':
      return [known.reversed(provider, reference)];
    case 'denied':
    case 'cancelled':
    case 'expired':
      return [known.endedBefore];
  }
};

/** Records that could be this operation's: they name it, or name nobody and are of exactly its amount. */
export const candidates = ({
  ledger,
  amount,
}: Pick<KnownFacts, 'ledger' | 'amount'>): readonly ProviderRefund[] =>
  (ledger ?? []).filter(
    (refund) =>
      refund.whose === 'this-operation' ||
      (refund.whose === 'nobody-here' &&
        refund.operationId === null &&
        amount !== null &&
        refund.amount.minor === amount.minor &&
        refund.amount.currency === amount.currency),
  );

const atProvider = (facts: KnownFacts, { known }: KnownMessages): readonly string[] => {
  const { ledger, providerName: provider, amountText, askedText: asked } = facts;
  if (ledger === null) return [];
  const own = ledger.filter(({ whose }) => whose === 'this-operation');
  if (own.length > 0) {
    return own.map(({ reference, statusText, operationId, boundTo }) =>
      operationId === null && boundTo !== undefined
        ? known.showsBound(
            asked,
            provider,
            reference,
            statusText,
            boundTo.by.map(({ name }) => name),
          )
        : known.showsOurs(asked, provider, reference, statusText),
    );
  }
  const [nameless] = candidates(facts);
  return nameless === undefined
    ? [known.showsNone(asked, provider)]
    : [known.showsNameless(asked, provider, nameless.reference, amountText)];
};

const openQuestions = (facts: KnownFacts, { notKnown }: KnownMessages): readonly string[] => {
  const { state, attention, providerName: provider, ledger } = facts;
  const questions: string[] = [];
  if (state === 'submitting') questions.push(notKnown.howItEnds(provider));
  if (state === 'outcome_unknown') {
    questions.push(notKnown.whetherDone(provider));
    if (ledger !== null && candidates(facts).length === 0) questions.push(notKnown.absenceIsNoProof);
  }
  if (state === 'pending') questions.push(notKnown.whetherItSucceeds);
  if (state === 'confirmed') questions.push(notKnown.whetherItLasts);
  for (const reason of attention) {
    const question =
      reason === 'contradicted' && facts.carriedOutUnrecorded != null
        ? notKnown.whenItWasSent
        : notKnown.attention[reason];
    if (question !== null) questions.push(question);
  }
  return questions;
};

const byPeople = (facts: KnownFacts): boolean =>
  facts.state === 'outcome_unknown' ||
  (facts.state === 'pending' && facts.attention.includes('pending-too-long'));

const settling = (facts: KnownFacts, { settles }: KnownMessages): readonly string[] => {
  const { state, attention, providerName: provider, amountText, waitingFor } = facts;
  if (byPeople(facts)) {
    return [
      ...(waitingFor === null
        ? []
        : [settles.secondWord(waitingFor.name, settles.outcome[waitingFor.outcome])]),
      settles.confirmed(provider, amountText),
      settles.failed,
      attention.length > 0
        ? settles.notSentAgain
        : facts.mayBeRepeated
          ? settles.sameKeyAgain
          : settles.looksAgain(provider),
    ];
  }
  if (attention.length > 0) return [settles.attention[attention[0] ?? 'contradicted']];
  switch (state) {
    case 'proposed':
      return [settles.decision];
    case 'approved':
      return [settles.submission];
    case 'submitting':
    case 'pending':
      return [settles.answer(provider)];
    case 'outcome_unknown':
    case 'confirmed':
    case 'failed':
    case 'reversed':
    case 'denied':
    case 'cancelled':
    case 'expired':
      return [settles.nothingOpen];
  }
};
