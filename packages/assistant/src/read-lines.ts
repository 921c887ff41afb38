import type { KnownOrder } from './catalogue.ts';
import { stem, titleWords } from './folded.ts';
import { betweenWords, bothWords, namesOfThing, oneWords, plainWords } from './plain-words.ts';

export type KnownLine = KnownOrder['lines'][number];

/** A thing that was named: the lines it fits equally well, and how many were said. */
export type Mention = {
  readonly lines: readonly KnownLine[];
  readonly quantity: number | 'all' | undefined;
  readonly said: string;
};

export type ReadLines = { readonly mentions: readonly Mention[]; readonly text: string };

type Names = {
  readonly line: KnownLine;
  readonly content: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
};

const isContent = (word: string): boolean =>
  word.length > 2 && !plainWords.has(word) && !/^\d+w?$/.test(word);

const namesOf = (line: KnownLine): Names => {
  const title = [...titleWords(line.title), ...titleWords(line.sku)];
  const content = title.filter(isContent).flatMap((word) => [word, ...namesOfThing(word)]);
  return { line, content: new Set(content.map(stem)), all: new Set([...title, ...content].map(stem)) };
};

const contentPoints = 10;

const pointsOf = (names: Names, group: readonly string[]): number => {
  const stems = [...new Set(group.map(stem))];
  const content = stems.filter((word) => names.content.has(word)).length;
  return content === 0 ? 0 : content * contentPoints + stems.filter((word) => names.all.has(word)).length;
};

/** How many were said: a number before the thing, perhaps with "of the" between. */
const quantityBefore = (
  words: readonly string[],
  start: number,
): { readonly quantity: number | 'all' | undefined; readonly from: number } => {
  let at = start - 1;
  while (at >= 0 && betweenWords.has(words[at] ?? '') && start - at <= 3) at -= 1;
  const word = words[at] ?? '';
  const number = /^(\d{1,3})w?$/.exec(word)?.[1];
  if (number !== undefined) return { quantity: Number(number), from: at };
  if (bothWords.has(word)) return { quantity: 2, from: at };
  if (oneWords.has(word)) return { quantity: 1, from: at };
  return { quantity: undefined, from: start };
};

type Group = { readonly from: number; readonly to: number };

/** Runs of words that stand in the names of some line, with at least one that means something. */
const groupsOf = (words: readonly string[], lines: readonly Names[]): readonly Group[] => {
  const isHit = (word: string) => lines.some(({ all }) => all.has(stem(word)));
  const means = (word: string) => lines.some(({ content }) => content.has(stem(word)));
  const groups: Group[] = [];
  for (let at = 0; at < words.length; at += 1) {
    if (!isHit(words[at] ?? '')) continue;
    let to = at;
    while (to + 1 < words.length && isHit(words[to + 1] ?? '')) to += 1;
    if (words.slice(at, to + 1).some(means)) groups.push({ from: at, to });
    at = to;
  }
  return groups;
};

/** The words of a group that the chosen lines have: neither a number before them nor an article after. */
const narrowed = (words: readonly string[], group: Group, chosen: readonly Names[]): Group => {
  const meant = (at: number) => chosen.some(({ content }) => content.has(stem(words[at] ?? '')));
  let { from, to } = group;
  while (from < to && !meant(from)) from += 1;
  const mayEnd = (at: number) => chosen.some(({ all }) => all.has(stem(words[at] ?? '')));
  while (to > from && (!mayEnd(to) || plainWords.has(words[to] ?? ''))) to -= 1;
  return { from, to };
};

const mentionOf = (words: string[], group: Group, lines: readonly Names[]): Mention | undefined => {
  const said = words.slice(group.from, group.to + 1);
  const points = lines.map((names) => pointsOf(names, said));
  const best = Math.max(...points);
  const chosen = lines.filter((_, index) => points[index] === best);
  const [first] = chosen;
  if (best === 0 || first === undefined) return undefined;
  const { from, to } = narrowed(words, group, chosen);
  const before = quantityBefore(words, from);
  const isPlural = words.slice(from, to + 1).some((word) => isContent(word) && stem(word) !== word);
  const mention: Mention = {
    lines: chosen.map(({ line }) => line),
    quantity: before.quantity ?? (isPlural ? 'all' : undefined),
    said: words.slice(from, to + 1).join(' '),
  };
  words.fill('', before.from, to + 1);
  words[from] = '§l';
  return mention;
};

/** Which of these lines a request names. */
export const readLines = (text: string, lines: readonly KnownLine[]): ReadLines => {
  const names = lines.map(namesOf);
  const words = text.split(' ').filter((word) => word !== '');
  const mentions = groupsOf(words, names)
    .map((group) => mentionOf(words, group, names))
    .filter((mention) => mention !== undefined);
  return { mentions, text: ` ${words.filter((word) => word !== '').join(' ')} ` };
};
