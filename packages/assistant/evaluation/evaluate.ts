import { interpret, type Answer } from '@holdfast/assistant';
import type { EvaluationRequest, Right } from './request.ts';
import { shop } from './shop.ts';

export type Judged = {
  readonly request: EvaluationRequest;
  readonly answer: Answer;
  readonly isRight: boolean;
};

const sameLines = (
  right: Extract<Right, { kind: 'draft' }>,
  answer: Extract<Answer, { kind: 'draft' }>,
): boolean => {
  const lines = Object.fromEntries(answer.draft.lines.map(({ sku, quantity }) => [sku, quantity]));
  const wanted = right.lines ?? {};
  // All of an order may be drafted without naming its lines.
  if (Object.keys(wanted).length === 0) return answer.draft.lines.length === 0;
  return (
    Object.keys(lines).length === Object.keys(wanted).length &&
    Object.entries(wanted).every(([sku, quantity]) => lines[sku] === quantity)
  );
};

export const isRight = (right: Right, answer: Answer): boolean => {
  if (right.kind === 'draft') {
    return (
      answer.kind === 'draft' &&
      answer.draft.orderId === right.order &&
      answer.draft.amount.minor === right.minor &&
      answer.draft.reason === right.reason &&
      sameLines(right, answer)
    );
  }
  if (right.kind === 'report') return answer.kind === 'report' && answer.operation.orderId === right.order;
  return answer.kind === right.kind;
};

export const judge = (requests: readonly EvaluationRequest[]): readonly Judged[] =>
  requests.map((request) => {
    const answer = interpret(request.text, shop, request.beside);
    return { request, answer, isRight: isRight(request.right, answer) };
  });

export type Score = { readonly right: number; readonly of: number };

const scoreOf = (judged: readonly Judged[]): Score => ({
  right: judged.filter((one) => one.isRight).length,
  of: judged.length,
});

const isAmbiguous = ({ request }: Judged): boolean => request.right.kind === 'question';

/** What of the requests is answered rightly. `guessed`: a draft where more than one thing may be meant. */
export const scores = (judged: readonly Judged[]) => ({
  byKind: Object.fromEntries(
    (['draft', 'report', 'nothing', 'question'] as const).map((kind) => [
      kind,
      scoreOf(judged.filter(({ request }) => request.right.kind === kind)),
    ]),
  ),
  byLanguage: Object.fromEntries(
    (['en', 'de', 'nl', 'fr', 'es'] as const).map((language) => [
      language,
      scoreOf(judged.filter(({ request }) => request.language === language)),
    ]),
  ),
  unambiguous: scoreOf(judged.filter((one) => !isAmbiguous(one))),
  guessed: judged.filter((one) => isAmbiguous(one) && one.answer.kind === 'draft'),
  /** A draft that is not the right one is worse than none. */
  wrongDrafts: judged.filter(({ isRight: right, answer }) => !right && answer.kind === 'draft'),
});
