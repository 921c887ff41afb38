import {
  answerByReply,
  interpret,
  mayBeReworded,
  ownWords,
  sayAnswer,
  type Answer,
  type Circumstances,
} from '@holdfast/assistant';
import type { Engine, Principal } from '@holdfast/engine';
import { formatAmount, modelCostText } from '@holdfast/operation';
import type { StreamEvent } from '../http/event-stream.ts';
import { gatherCatalogue, type Gathered } from './gather-catalogue.ts';
import type { AskModel, ModelAnswer } from './model-reading.ts';
import { saysName } from './says-name.ts';

export type Turn = {
  readonly engine: Engine;
  readonly who: Principal;
  readonly text: string;
  readonly beside: Circumstances;
  readonly isStopped: () => boolean;
  /** An endpoint that may put a request in plainer words; none unless switched on. */
  readonly askModel: AskModel | undefined;
  readonly stop: AbortSignal;
};

/** Whether the request itself names the order, so that nothing unseen may be meant. */
const namesOrder = (
  text: string,
  orderId: string,
  { catalogue }: Gathered,
  beside: Circumstances,
): boolean => {
  const order = catalogue.orders.find(({ id }) => id === orderId);
  const tickets = catalogue.tickets.filter((ticket) => ticket.orderId === orderId).map(({ id }) => id);
  const names = [
    orderId,
    order?.payment.reference,
    ...(order?.returns ?? []).map(({ id }) => id),
    ...tickets,
  ];
  const isOpen =
    beside.orderId === orderId || (beside.ticketId !== undefined && tickets.includes(beside.ticketId));
  return isOpen || names.some((name) => name !== undefined && saysName(text, name));
};

/** Whether a customer who is named may be one of more than were looked at, or has more orders than were. */
const mayHaveNamesakes = ({ read }: Answer, { cutShort }: Gathered): boolean =>
  read.some(
    ({ what, id, title }) =>
      what === 'customer' &&
      cutShort.some((word) => id === word || title.toLowerCase().includes(word.toLowerCase())),
  );

/** An answer to what was found of more than was looked at. */
const withDoubt = (answer: Answer, text: string, gathered: Gathered, beside: Circumstances): Answer => {
  if (answer.kind !== 'draft' || !mayHaveNamesakes(answer, gathered)) return answer;
  if (namesOrder(text, answer.draft.orderId, gathered, beside)) return answer;
  const { read, missing, quoted } = answer;
  const choices = read.filter(({ what }) => what === 'order');
  return { kind: 'question', question: 'which-order', choices, read, missing, quoted };
};

const inWords = (use: ModelAnswer['use']) =>
  use.cost === undefined ? use : { ...use, costInWords: modelCostText(use.cost) };

/** What was read comes first, then what follows from it in words, then as data, then what others wrote. */
const eventsOf = ({ answer, model, use }: Reworded): readonly StreamEvent[] => {
  const events: StreamEvent[] = [{ event: 'looked-up', data: answer.read }];
  // A sentence at a time: whoever listens can stop it in between.
  const sentences = sayAnswer(answer).split(/(?<=[.?!])\s+/);
  events.push(...sentences.map((text): StreamEvent => ({ event: 'text', data: { text } })));
  if (answer.kind === 'draft') {
    const amountInWords = formatAmount(answer.draft.amount);
    events.push({ event: 'draft', data: { kind: 'refund', ...answer.draft, amountInWords } });
  }
  if (answer.kind === 'question') {
    events.push({ event: 'question', data: { question: answer.question, choices: answer.choices } });
  }
  if (answer.kind === 'report') {
    const { id, state, sentence, amount, orderId } = answer.operation;
    events.push({ event: 'report', data: { id, state, sentence, amount, orderId, mayRepeat: false } });
  }
  if (answer.missing.length > 0) events.push({ event: 'missing', data: answer.missing });
  if (answer.quoted.length > 0) events.push({ event: 'quoted', data: answer.quoted });
  const because = answer.kind === 'nothing' ? { because: answer.because } : {};
  const data = {
    interpreter: 'built-in',
    model,
    answer: answer.kind,
    ...because,
    ...(use === undefined ? {} : { use: inWords(use) }),
  };
  events.push({ event: 'done', data });
  return events;
};

/** `model`: whether an endpoint was asked, and whether its words were followed. */
type Reworded = {
  readonly answer: Answer;
  readonly model: 'not-asked' | 'followed' | 'not-followed';
  readonly use?: ModelAnswer['use'];
};

/**
 * Where words were not understood, a model may say them plainer, and the grammar reads that by its own rules. Whatever
 * it says that the request does not, or no answer at all, leaves the first answer as it was.
 */
const withModel = async (turn: Turn, gathered: Gathered, first: Answer): Promise<Reworded> => {
  const { askModel, text, beside, stop } = turn;
  if (askModel === undefined || !mayBeReworded(first)) return { answer: first, model: 'not-asked' };
  const { catalogue } = gathered;
  const orders = catalogue.orders.filter(({ id }) => id === beside.orderId || saysName(text, id));
  const names = catalogue.orders.map(({ customer }) => customer.name);
  const told = await askModel({ said: ownWords(text, catalogue.orders), orders, names }, stop);
  if (told === undefined) return { answer: first, model: 'not-followed' };
  const followed = answerByReply({ text, catalogue, beside, first }, told.reply);
  return followed === undefined
    ? { answer: first, model: 'not-followed', use: told.use }
    : { answer: followed, model: 'followed', use: told.use };
};

/** One turn: the built-in interpreter, and a model's help where that is switched on and needed. */
export const builtInTurn = async (turn: Turn): Promise<readonly StreamEvent[]> => {
  const { engine, who, text, beside, isStopped } = turn;
  const { orderId, ticketId, before } = beside;
  const gathered = await gatherCatalogue(engine, who, { text, orderId, ticketId, before }, isStopped);
  if (isStopped()) return [];
  const first = withDoubt(interpret(text, gathered.catalogue, beside), text, gathered, beside);
  return eventsOf(await withModel(turn, gathered, first));
};
