import {
  next,
  sameAmount,
  type Amount,
  type Attention,
  type Command,
  type OperationState,
  type ProviderRecord,
} from '@holdfast/operation';
import type { MirroredRefund } from '@holdfast/providers';
import { problemOf } from './problem.ts';
import { refuse, type Judgement } from './verdict.ts';

export type ResolveCommand = Extract<Command, { type: 'resolve' }>;

/** What the provider said about the reference that the operator names. */
export type NamedReference =
  | { readonly kind: 'record'; readonly record: MirroredRefund }
  | { readonly kind: 'not-known-there' }
  | { readonly kind: 'cannot-be-asked' };

export type ResolveFacts = {
  readonly state: OperationState;
  readonly version: number;
  readonly attention: readonly Attention[];
  readonly amount: Amount | null;
  readonly paymentReference: string | null;
  /** The person who settles now, and the first one's word where it waits for a second. */
  readonly person: string;
  readonly waiting: {
    readonly person: string;
    readonly outcome: 'confirmed' | 'failed';
    readonly providerReference: string | null;
  } | null;
  readonly named: NamedReference | null;
  /** Another operation that holds the named reference. */
  readonly heldBy: string | null;
};

export type ResolveEffect =
  /** A person has looked; the outcome stands as it is. */
  | { readonly kind: 'clear-attention' }
  | { readonly kind: 'wait-for-second' }
  | {
      readonly kind: 'settle';
      readonly record: ProviderRecord | null;
      /** Who spoke first, where two were needed. */
      readonly firstPerson: string | null;
    };

/** Settling by hand. The transition table says first whether there is anything to settle; evidence and people come after. */
export const judgeResolve = (command: ResolveCommand, facts: ResolveFacts): Judgement<ResolveEffect> => {
  const ids = { operationId: command.operationId, commandId: command.commandId };
  if (command.version !== facts.version) {
    const detail = 'It changed since you looked at it. Look at the evidence again.';
    return refuse(problemOf('stale', detail, { ...ids, now: { version: facts.version } }));
  }
  const answer = next(
    // What may have been sent is no question of these events: only the state and who is needed are.
    { state: facts.state, attention: facts.attention, anyAttemptAmbiguous: true },
    { type: command.outcome === 'confirmed' ? 'resolve-confirmed' : 'resolve-failed', at: '' },
  );
  if (answer.answer === 'refused') return refuse(problemOf(answer.problem, answer.because, ids));
  if (answer.answer === 'ignored' || answer.to === facts.state) {
    return { kind: 'go-on', effect: { kind: 'clear-attention' } };
  }
  if (command.outcome === 'failed') return { kind: 'go-on', effect: bySecond(command, facts, null) };
  return judgeConfirmed(command, facts);
};

const judgeConfirmed = (command: ResolveCommand, facts: ResolveFacts): Judgement<ResolveEffect> => {
  const ids = { operationId: command.operationId, commandId: command.commandId };
  const notEligible = (reason: string, sentence: string): Judgement<ResolveEffect> =>
    refuse(problemOf('not-eligible', sentence, { ...ids, reasons: [{ reason, sentence }] }));
  if (facts.named === null) {
    return notEligible('reference-missing', 'To settle it as confirmed, name the provider’s reference.');
  }
  if (facts.heldBy !== null) {
    return notEligible('reference-taken', `That reference belongs to operation ${facts.heldBy}.`);
  }
  switch (facts.named.kind) {
    case 'not-known-there':
      return notEligible('reference-unknown', 'The provider does not know that reference.');
    case 'cannot-be-asked':
      return { kind: 'go-on', effect: bySecond(command, facts, null) };
    case 'record': {
      const { record } = facts.named;
      if (record.paymentReference !== facts.paymentReference) {
        return notEligible('reference-of-another-payment', 'That reference is of another payment.');
      }
      if (record.status !== 'succeeded') {
        return notEligible('reference-not-succeeded', `The provider says of it: ${record.statusText}.`);
      }
      const equal = facts.amount !== null && sameAmount(record.amount, facts.amount);
      return {
        kind: 'go-on',
        effect: equal ? { kind: 'settle', record, firstPerson: null } : bySecond(command, facts, record),
      };
    }
  }
};

/** Where one person's word is not enough, an equal word of another person carries it out. */
const bySecond = (
  command: ResolveCommand,
  { waiting, person }: ResolveFacts,
  record: ProviderRecord | null,
): ResolveEffect =>
  waiting !== null &&
  waiting.person !== person &&
  waiting.outcome === command.outcome &&
  waiting.providerReference === (command.providerReference ?? null)
    ? { kind: 'settle', record, firstPerson: waiting.person }
    : { kind: 'wait-for-second' };
