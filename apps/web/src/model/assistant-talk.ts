import type { Answer, DraftContent, Reference, SpokenOf } from '@holdfast/assistant';
import {
  amountSchema,
  fitConversation,
  refundReasons,
  type Conversation,
  type ConversationTurn,
  type ModelUse,
} from '@holdfast/operation';

/** One question to the assistant and what came of it so far. */
export type Talk = {
  readonly asked: string;
  readonly atMs: number;
  readonly interpreter: 'on-the-device' | 'at-holdfast';
  /** `not-here`: neither Holdfast nor this device could answer. */
  readonly standing: 'answering' | 'answered' | 'stopped' | 'not-here';
  readonly said: string;
  readonly read: readonly Reference[];
  readonly quoted: readonly { readonly from: string; readonly text: string }[];
  readonly draft: DraftContent | null;
  readonly report: { readonly operationId: string; readonly orderId: string | null } | null;
  readonly model: ModelUse | null;
};

export const begunTalk = (asked: string, atMs: number, interpreter: Talk['interpreter']): Talk => ({
  ...{ asked, atMs, interpreter, standing: 'answering', said: '' },
  ...{ read: [], quoted: [], draft: null, report: null, model: null },
});

/** An answer of this device's own interpreter. */
export const answeredHere = (talk: Talk, answer: Answer, said: string): Talk => ({
  ...talk,
  standing: 'answered',
  said,
  read: [...answer.read, ...(answer.kind === 'question' ? answer.choices : [])],
  quoted: answer.quoted,
  draft: answer.kind === 'draft' ? answer.draft : null,
  report:
    answer.kind === 'report' ? { operationId: answer.operation.id, orderId: answer.operation.orderId } : null,
});

type Told = Readonly<Record<string, unknown>>;

const isTold = (value: unknown): value is Told =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textIn = (told: Told, field: string): string | undefined =>
  typeof told[field] === 'string' ? told[field] : undefined;
const listOf = (value: unknown): readonly Told[] => (Array.isArray(value) ? value.filter(isTold) : []);

const kinds = ['order', 'ticket', 'customer', 'line', 'return', 'operation'] as const;

const referencesIn = (value: unknown): readonly Reference[] =>
  listOf(value).flatMap((one) => {
    const what = kinds.find((kind) => kind === one['what']);
    const [id, title] = [textIn(one, 'id'), textIn(one, 'title')];
    return what === undefined || id === undefined || title === undefined ? [] : [{ what, id, title }];
  });

const draftIn = (told: Told): DraftContent | null => {
  const orderId = textIn(told, 'orderId');
  const amount = amountSchema.safeParse(told['amount']);
  if (orderId === undefined || !amount.success) return null;
  const lines = listOf(told['lines']).flatMap((line) => {
    const sku = textIn(line, 'sku');
    return sku !== undefined && typeof line['quantity'] === 'number'
      ? [{ sku, quantity: line['quantity'] }]
      : [];
  });
  const reason = refundReasons.find((one) => one === told['reason']);
  const [returnId, ticketId, note] = ['returnId', 'ticketId', 'note'].map((field) => textIn(told, field));
  return {
    ...{ orderId, amount: amount.data, lines },
    ...(reason === undefined ? {} : { reason }),
    ...(returnId === undefined ? {} : { returnId }),
    ...(ticketId === undefined ? {} : { ticketId }),
    ...(note === undefined ? {} : { note }),
  };
};

const costIn = (value: unknown): Pick<ModelUse, 'cost'> => {
  if (!isTold(value)) return {};
  const { micros, currency } = value;
  return typeof micros === 'number' && typeof currency === 'string' ? { cost: { micros, currency } } : {};
};

const modelIn = (told: Told): ModelUse | null => {
  const use = told['use'];
  if (!isTold(use)) return null;
  const { inputTokens, outputTokens, cost } = use;
  const name = textIn(use, 'name');
  if (name === undefined || typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return null;
  return { name, followed: told['model'] === 'followed', inputTokens, outputTokens, ...costIn(cost) };
};

/** What Holdfast tells next of a turn. What it says that this version does not know changes nothing. */
export const heard = (talk: Talk, event: string, data: unknown): Talk => {
  if (event === 'looked-up') return { ...talk, read: referencesIn(data) };
  if (event === 'quoted') {
    const quoted = listOf(data).flatMap((one) => {
      const [from, text] = [textIn(one, 'from'), textIn(one, 'text')];
      return from === undefined || text === undefined ? [] : [{ from, text }];
    });
    return { ...talk, quoted };
  }
  if (!isTold(data)) return talk;
  switch (event) {
    case 'text':
      return {
        ...talk,
        said: [talk.said, textIn(data, 'text') ?? ''].filter((part) => part !== '').join(' '),
      };
    case 'draft':
      return { ...talk, draft: draftIn(data) };
    case 'question':
      return { ...talk, read: [...talk.read, ...referencesIn(data['choices'])] };
    case 'report': {
      const operationId = textIn(data, 'id');
      const orderId = textIn(data, 'orderId') ?? null;
      return operationId === undefined ? talk : { ...talk, report: { operationId, orderId } };
    }
    case 'done':
      return { ...talk, standing: 'answered', model: modelIn(data) };
    default:
      return talk;
  }
};

/** What the next question may call "it": the last thing that was one. */
export const lastSpokenOf = (talks: readonly Talk[]): SpokenOf | undefined => {
  for (const { draft, report, read } of talks.toReversed()) {
    if (draft !== null) return { orderId: draft.orderId };
    if (report !== null && report.orderId !== null) {
      return { orderId: report.orderId, operationId: report.operationId };
    }
    const [order, another] = read.filter(({ what }) => what === 'order');
    if (order !== undefined && another === undefined) return { orderId: order.id };
  }
  return undefined;
};

/** A conversation as it goes with the proposal that came of it. */
export const conversationOf = (talks: readonly Talk[]): Conversation | null =>
  fitConversation(
    talks.map(({ asked, atMs, interpreter, said, read, quoted, draft, model }): ConversationTurn => ({
      ...{ at: new Date(atMs).toISOString(), asked, answered: said, interpreter },
      read: [...read],
      quoted: [...quoted],
      ...(draft === null ? {} : { drafted: draftedOf(draft) }),
      ...(model === null ? {} : { model }),
    })),
  ) ?? null;

const draftedOf = ({
  orderId,
  amount,
  lines,
  reason,
  returnId,
}: DraftContent): NonNullable<ConversationTurn['drafted']> => ({
  orderId,
  amount: { minor: amount.minor, currency: amount.currency },
  lines: [...lines],
  ...(reason === undefined ? {} : { reason }),
  ...(returnId === undefined ? {} : { returnId }),
});
