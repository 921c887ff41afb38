import { withDigits } from './number-words.ts';

const alike: readonly (readonly [RegExp, string])[] = [
  [/ß/g, 'ss'],
  [/ı/g, 'i'],
  [/ø/g, 'o'],
  [/æ/g, 'ae'],
  [/œ/g, 'oe'],
  [/ł/g, 'l'],
];

/** Letters without case and marks, so that "Yılmaz" and "yilmaz" are one word. */
export const foldLetters = (text: string): string =>
  alike.reduce(
    (folded, [letter, plain]) => folded.replace(letter, plain),
    text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, ''),
  );

/** Where a clause ends. Nothing is read across it. */
export const clauseEnd = '·';

const wordOrSign =
  /[€$£¥%#]|\d+(?:[.,'\u2019]\d+)*(?![\p{L}\d_-])|(?=[\p{L}\d_-]*\d)[\p{L}\d]+(?:[-_][\p{L}\d]+)*|\p{L}+|[.,;:!?()]/gu;

/** "No. 1042" and "n° 1042": what looks like the end of a clause is part of a number's name. */
const numberSign = /\b(no|nr|num|n)[.°º]\s*(?=\S*\d)/g;

/**
 * A request as words with one space between them, clause ends marked; numbers in words become digits with a `w`
 * behind, so that a reading which needs digits that were typed can tell them apart.
 */
export const foldRequest = (text: string): string => {
  const words = [...foldLetters(text).replace(numberSign, '$1 ').matchAll(wordOrSign)].map(([word]) =>
    /^[.,;:!?()]$/.test(word) ? clauseEnd : word,
  );
  return ` ${withDigits(words).join(' ')} `;
};

/** Words of a title, as they are compared with those of a request. */
export const titleWords = (title: string): readonly string[] =>
  foldRequest(title)
    .split(' ')
    .filter((word) => word !== '' && word !== clauseEnd);

/** A word without what most plurals of our languages add. */
export const stem = (word: string): string => (word.length < 4 ? word : word.replace(/(en|es|s|n|e)$/, ''));
