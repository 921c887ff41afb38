import { conversationLimits, type Conversation, type ConversationTurn } from './wire/conversation-message.ts';

const { turns, characters, text, name, items } = conversationLimits;

/** Text as it can be kept: no NUL, no half of a surrogate pair, and no longer than it may be. */
const kept = (given: string, most: number): string => {
  const whole = given
    .replaceAll('\u0000', '')
    .replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
  if (whole.length <= most) return whole;
  const cut = whole.slice(0, most - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
};

/** A turn without what was read for it. */
const bareTurn = ({ drafted, model, ...turn }: ConversationTurn): ConversationTurn => ({
  ...turn,
  asked: kept(turn.asked, text),
  answered: kept(turn.answered, text),
  read: [],
  quoted: [],
  ...(drafted === undefined ? {} : { drafted: { ...drafted, lines: drafted.lines.slice(0, items) } }),
  ...(model === undefined ? {} : { model: { ...model, name: kept(model.name, name) } }),
});

const lengthOf = (value: unknown): number => JSON.stringify(value).length;

/** Half of one turn's words and of the lines that it drafted. */
const halved = ({ drafted, ...turn }: ConversationTurn): ConversationTurn => {
  const half = (words: string): string => kept(words, Math.max(1, Math.floor(words.length / 2)));
  return {
    ...turn,
    asked: half(turn.asked),
    answered: half(turn.answered),
    ...(drafted === undefined
      ? {}
      : { drafted: { ...drafted, lines: drafted.lines.slice(0, Math.floor(drafted.lines.length / 2)) } }),
  };
};

/** The newest turns that have room, words alone. */
const bareThatFit = (said: readonly ConversationTurn[], room: number): readonly ConversationTurn[] => {
  let left: readonly ConversationTurn[] = said.slice(-turns).map(bareTurn);
  while (lengthOf(left) > room) left = left.length > 1 ? left.slice(1) : left.map(halved);
  return left;
};

/** As many of them as there is room for, and the room that is left. */
const thatFit = <Item>(
  given: readonly Item[],
  room: number,
): { readonly fit: Item[]; readonly left: number } => {
  const fit: Item[] = [];
  let left = room;
  for (const item of given) {
    const length = lengthOf(item) + 1;
    if (length > left || fit.length === items) break;
    fit.push(item);
    left -= length;
  }
  return { fit, left };
};

/** What the JSON around the turns takes. */
const around = 40;

/**
 * A conversation as it may be kept with a proposal, which it must never stand in the way of: whatever was said, this
 * passes `conversationSchema`. Words go before what was read, and that before what others wrote; the newest first.
 * `undefined` where nothing was said.
 */
export const fitConversation = (said: readonly ConversationTurn[]): Conversation | undefined => {
  if (said.length === 0) return undefined;
  const fitting = [...bareThatFit(said, characters - around)];
  let room = characters - around - lengthOf(fitting);
  const full = said.slice(-fitting.length);
  for (const part of ['read', 'quoted'] as const) {
    for (let at = fitting.length - 1; at >= 0; at -= 1) {
      const [turn, from] = [fitting[at], full[at]];
      if (turn === undefined || from === undefined) continue;
      const given =
        part === 'read'
          ? from.read.map(({ what, id, title }) => ({ what, id: kept(id, name), title: kept(title, name) }))
          : from.quoted.map((one) => ({ from: kept(one.from, name), text: kept(one.text, text) }));
      const { fit, left } = thatFit<unknown>(given, room);
      room = left;
      fitting[at] = { ...turn, [part]: fit };
    }
  }
  // Members stand in another order than they were given in.
  const isWhole = lengthOf(fitting) === lengthOf(said);
  return { turns: fitting, ...(isWhole ? {} : { cut: true }) };
};
