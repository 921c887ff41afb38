import { answerByReply, interpret, mayBeReworded, type Answer } from '@holdfast/assistant';
import { isRight, type Score } from './evaluate.ts';
import { shop } from './shop.ts';
import type { WrittenReply } from './written-replies.ts';

export type JudgedReply = {
  readonly written: WrittenReply;
  readonly answer: Answer;
  /** `not-asked`: the grammar answered by itself, and no model would have been asked. */
  readonly model: 'not-asked' | 'followed' | 'not-followed';
  readonly isRight: boolean;
};

/** Each reply on the way that one from an endpoint takes, from its text on. */
export const judgeReplies = (replies: readonly WrittenReply[]): readonly JudgedReply[] =>
  replies.map((written) => {
    const { text, right, beside = {} } = written.request;
    const first = interpret(text, shop, beside);
    if (!mayBeReworded(first)) {
      return { written, answer: first, model: 'not-asked', isRight: isRight(right, first) };
    }
    const followed = answerByReply({ text, catalogue: shop, beside, first }, written.reply);
    const answer = followed ?? first;
    const model = followed === undefined ? 'not-followed' : 'followed';
    return { written, answer, model, isRight: isRight(right, answer) };
  });

export const replyScores = (judged: readonly JudgedReply[]) => {
  const helpful = judged.filter(({ written }) => written.isTrue);
  const followed: Score = { right: helpful.filter((one) => one.isRight).length, of: helpful.length };
  return {
    replies: judged.length,
    asked: judged.filter(({ model }) => model !== 'not-asked').length,
    /** True replies that led to the right answer. */
    followed,
    /** Drafts that say what the request does not: of another order, amount, goods or reason, or where none is asked for. */
    unguarded: judged.filter((one) => one.answer.kind === 'draft' && !one.isRight),
  };
};
