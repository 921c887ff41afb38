import type { KnownOrder } from './catalogue.ts';
import { clauseEnd, foldRequest } from './folded.ts';
import { plainWords } from './plain-words.ts';

/** What stands in a request where something was read. */
export type Mark = '§v' | '§r' | '§o' | '§t' | '§a' | '§l' | '§c' | '§w';

/** A request that is read piece by piece: each piece is taken once, and what is left over is known. */
export type RequestText = {
  readonly text: () => string;
  /** Takes every match and leaves the mark. Answers the matches. */
  readonly take: (pattern: RegExp, mark: Mark) => readonly RegExpMatchArray[];
  readonly put: (text: string) => void;
};

export const requestText = (request: string): RequestText => {
  let text = foldRequest(request);
  return {
    text: () => text,
    take: (pattern, mark) => {
      const matches = [...text.matchAll(new RegExp(pattern.source, 'g'))];
      if (matches.length > 0) text = text.replaceAll(new RegExp(pattern.source, 'g'), mark);
      return matches;
    },
    put: (next) => {
      text = next;
    },
  };
};

export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A pattern for whole words. */
export const words = (source: string): RegExp => new RegExp(`(?<= )(?:${source})(?= )`, 'g');

export type Unread = {
  /** In a clause that says what to refund: it may change what is meant. */
  readonly within: readonly string[];
  readonly beside: readonly string[];
};

/** Which words nothing has read. */
export const unreadWords = (text: string): Unread => {
  const unread = { within: [] as string[], beside: [] as string[] };
  for (const clause of text.split(clauseEnd)) {
    const all = clause.split(' ').filter((word) => word !== '');
    const left = all.filter((word) => !word.startsWith('§') && word !== '#' && !plainWords.has(word));
    const says = all.some((word) => ['§v', '§l', '§a', '§o', '§w'].includes(word));
    (says ? unread.within : unread.beside).push(...left);
  }
  return unread;
};

export type Unquoted = { readonly said: string; readonly quoted: readonly string[] };

/**
 * What a person said themselves, apart from what they quote. Somebody else's words ask for nothing; a thing that is
 * called by its name in quotation marks stays.
 * @param isTitle whether words in quotation marks are the name of a thing
 */
export const withoutQuotations = (request: string, isTitle: (text: string) => boolean): Unquoted => {
  const quoted: string[] = [];
  const lines = request.split('\n').filter((line) => {
    const isQuoted = line.trimStart().startsWith('>');
    if (isQuoted) quoted.push(line.trimStart().slice(1).trim());
    return !isQuoted;
  });
  const said = lines.join('\n').replace(/["“”„«»]([^"“”„«»]*)["“”„«»]/g, (_all, inner: string) => {
    if (isTitle(inner)) return inner;
    quoted.push(inner);
    return ' ';
  });
  return { said, quoted };
};

/** Whether words in quotation marks are the name of a thing in one of these orders. */
export const isTitleIn =
  (orders: readonly Pick<KnownOrder, 'lines'>[]) =>
  (text: string): boolean => {
    const said = foldRequest(text).trim();
    return (
      said !== '' && orders.some(({ lines }) => lines.some(({ title }) => foldRequest(title).trim() === said))
    );
  };

/** What a person said themselves in a request: what others wrote and they quote is left out. */
export const ownWords = (request: string, orders: readonly Pick<KnownOrder, 'lines'>[]): string =>
  withoutQuotations(request, isTitleIn(orders)).said;
