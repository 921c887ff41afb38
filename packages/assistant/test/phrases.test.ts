import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import * as phrases from '../src/phrases.ts';

const expressions: readonly (readonly [string, RegExp])[] = Object.entries(phrases).flatMap(
  ([name, phrase]): (readonly [string, RegExp])[] => {
    if (phrase instanceof RegExp) return [[name, phrase]];
    if (typeof phrase === 'string') return [[name, new RegExp(phrase, 'g')]];
    if (typeof phrase === 'function') return [];
    return phrase.map(([reason, each]) => [`${name} ${reason}`, each]);
  },
);

/** Three times the longest request. What takes the square of its length is through in a hundredth of the bound. */
const longest = 6_000;
const boundMs = 4_000;

const repeated = (words: string): string =>
  ` ${`${words} `.repeat(Math.floor(longest / (words.length + 1)))}`;
const within = (work: () => unknown): unknown => runInNewContext('work()', { work }, { timeout: boundMs });

const dutch = ['graag', 'terug', 'betaal', 'bestelling', 'stort', 'graag of', 'graag x of', 'of'];

describe('the phrases', () => {
  // Red when: an expression has two quantifiers that may share the same text, as "[^§]* .* of" has.
  it.each(expressions)('%s takes no request for long, whatever word it repeats', (_name, expression) => {
    const own = [...new Set(expression.source.match(/[a-z]{2,}/g) ?? [])];
    for (const words of [...own, ...dutch, '§v', '1', '·']) {
      const text = repeated(words);
      expect(() => within(() => [...text.matchAll(new RegExp(expression.source, 'g'))].length)).not.toThrow();
    }
  });

  // Red when: what stands between the Dutch word and its "of" is looked through anew for every such word.
  it('"or" in Dutch is found in a request of any length', () => {
    for (const words of dutch) {
      const text = repeated(words);
      expect(within(() => phrases.saysDutchOr(text))).toBe(false);
      expect(within(() => phrases.saysDutchOr(` graag${text}of 3 `))).toBe(true);
    }
  });

  it.each([
    [' betaal bestelling 1042 of 1043 terug ', true],
    [' graag §o of §o ', true],
    [' terug of 3 ', false],
    [' refund 2 of 3 ', false],
    [' graag het geld of niet ', false],
  ])('"or" in Dutch stands behind a Dutch word and before a number or a thing:%s', (text, says) => {
    expect(phrases.saysDutchOr(text)).toBe(says);
  });
});
