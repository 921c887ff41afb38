import type { DecimalMark } from '@holdfast/operation';
import type { Answer, Missing, Obstacle, QuestionKind, Quotation, Reference } from './answer.ts';

/** The order, and the refund of it, that the last answer was about. */
export type SpokenOf = { readonly orderId: string; readonly operationId?: string | undefined };

export type Circumstances = {
  /** What the person has open beside the assistant: meant where the request names nothing itself. */
  readonly orderId?: string | undefined;
  readonly ticketId?: string | undefined;
  /** What was spoken of before: a question of what became of "it" may mean that, and nothing else may. */
  readonly before?: SpokenOf | undefined;
  /** The decimal mark of the person's locale. */
  readonly decimalMark?: DecimalMark;
};

/** What a step found so far, from which every answer is made. */
export type Findings = {
  readonly read: Reference[];
  readonly missing: Missing[];
  readonly quoted: readonly Quotation[];
};

export const question = (
  found: Findings,
  kind: QuestionKind,
  choices: readonly Reference[] = [],
): Answer => ({ kind: 'question', question: kind, choices, ...found });

export const nothing = (found: Findings, because: Obstacle): Answer => ({
  kind: 'nothing',
  because,
  ...found,
});
