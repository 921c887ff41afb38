import { describe, expect, it } from 'vitest';
import { englishRequests } from '../evaluation/english-requests.ts';
import { judge, scores } from '../evaluation/evaluate.ts';
import { heldOutRequests } from '../evaluation/held-out-requests.ts';
import { judgeReplies, replyScores } from '../evaluation/judge-replies.ts';
import { otherRequests } from '../evaluation/other-requests.ts';
import { writtenReplies } from '../evaluation/written-replies.ts';

const sets = [
  ['the requests it was made with', judge([...englishRequests, ...otherRequests])],
  ['the requests that were held out', judge(heldOutRequests)],
] as const;

describe('the evaluation of the built-in interpreter', () => {
  it('has at least 150 requests, each once, in five languages', () => {
    const all = [...englishRequests, ...otherRequests, ...heldOutRequests];
    expect(new Set(all.map(({ text, beside }) => JSON.stringify([text, beside]))).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(150);
    expect(new Set(all.map(({ language }) => language)).size).toBe(5);
  });

  // Red when: a kind of phrase is not read any more (empty `reasonPhrases`, or drop a language's refund verbs).
  it.each(sets)('of %s, nine in ten of the unambiguous are answered rightly', (_name, judged) => {
    const { right, of } = scores(judged).unambiguous;
    expect(of).toBeGreaterThan(40);
    expect(right / of).toBeGreaterThanOrEqual(0.9);
  });

  // Red when: `openWords` or `judgeUnread` stop nothing, or the first of several orders, lines or returns is taken.
  it.each(sets)('of %s, none that is ambiguous is drafted without asking', (_name, judged) => {
    expect(scores(judged).guessed.map(({ request }) => request.text)).toEqual([]);
  });

  it.each(sets)('of %s, no draft is another than the right one', (_name, judged) => {
    expect(scores(judged).wrongDrafts.map(({ request }) => request.text)).toEqual([]);
  });
});

describe("replies written by hand in a model's shapes", () => {
  const judged = judgeReplies(writtenReplies);
  const replied = replyScores(judged);

  it('are several hundred, to requests that a model would be asked about', () => {
    expect(replied.asked).toBeGreaterThan(300);
    expect(new Set(writtenReplies.map(({ kind }) => kind)).size).toBeGreaterThan(20);
  });

  // Red when: a guard of `rewordedRequest` is left out (order, amount, goods, negations, money the other way, quotations).
  it('lead to no draft that says what the request does not', () => {
    expect(replied.unguarded.map(({ written }) => [written.kind, written.request.text])).toEqual([]);
  });

  it('help where they are true, whatever they are wrapped in', () => {
    expect(replied.followed.of).toBeGreaterThan(20);
    expect(replied.followed.right).toBe(replied.followed.of);
  });

  // Red when: a reason of a model's making is taken over.
  it('bring no reason: that is what the person says, or is asked of them', () => {
    const drafts = judged.flatMap(({ answer, model }) =>
      model === 'followed' && answer.kind === 'draft' ? [answer.draft.reason] : [],
    );
    expect(drafts.length).toBeGreaterThan(0);
    expect(new Set(drafts)).toEqual(new Set([undefined]));
  });
});
