import { describe, expect, it } from 'vitest';
import { englishRequests } from '../evaluation/english-requests.ts';
import { judge, scores } from '../evaluation/evaluate.ts';
import { heldOutRequests } from '../evaluation/held-out-requests.ts';
import { otherRequests } from '../evaluation/other-requests.ts';

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
