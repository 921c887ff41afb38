import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { formatAmount, isUnfinished, problemSlug, type Operation, type Problem } from '@holdfast/operation';
import type { Receipt } from './tool-shapes.ts';

type Structured = Record<string, unknown>;

/** Said in words and as data: a client shows one and a program reads the other. */
export const answerOf = (said: string, structured: Structured, isError = false): CallToolResult => ({
  content: [
    { type: 'text', text: said },
    { type: 'text', text: JSON.stringify(structured) },
  ],
  structuredContent: structured,
  ...(isError ? { isError } : {}),
});

const outcomeOf = (operation: Pick<Operation, 'state'>): Receipt['outcome'] => {
  switch (operation.state) {
    case 'proposed':
      return 'waiting-for-person';
    case 'approved':
    case 'submitting':
    case 'pending':
      return 'under-way';
    case 'outcome_unknown':
      return 'unknown';
    case 'confirmed':
      return 'done';
    case 'reversed':
      return 'did-not-last';
    case 'failed':
    case 'denied':
    case 'cancelled':
    case 'expired':
      return 'did-not-happen';
  }
};

const nextOf: Record<Receipt['outcome'], string> = {
  'not-stored': 'Nothing is stored under this ID. propose_refund with this same ID stores it once.',
  'being-stored': 'It is being stored. Do not propose it again; ask get_operation with this ID.',
  'waiting-for-person':
    'Stored, waiting for a person. Do not propose it again; ask wait_for_outcome or get_operation.',
  'under-way': 'Do not propose it again; ask wait_for_outcome or get_operation.',
  unknown:
    'The outcome is UNKNOWN and is being checked. It may have happened. Do not repeat it in any way and do not say that it failed; ask get_operation later.',
  done: 'It is done. Do not repeat it.',
  'did-not-happen': 'No money moved by it. Only a person may decide that it is tried again.',
  'did-not-last': 'The money did not reach the customer. Tell a person.',
  refused: 'It was refused for the reason in `problem`. Do not work around it; tell a person.',
  'not-known':
    'There is no answer now, and that says nothing of what became of it: it may be stored, and it may be done. Ask get_operation with this ID later, before anything else; begin nothing in its place.',
  'rate-limited': 'You ask too often. Wait, then ask get_operation with this ID before anything else.',
};

/** An operation as a receipt. */
export const receiptOf = (operation: Operation): Receipt => {
  const outcome = outcomeOf(operation);
  return {
    operationId: operation.id,
    state: operation.state,
    mayRepeat: false,
    outcome,
    isFinal: !isUnfinished(operation.state),
    orderId: operation.orderId,
    amount: operation.amount,
    ...(operation.amount === null ? {} : { amountInWords: formatAmount(operation.amount) }),
    sentence: operation.sentence,
    tellTheCustomer: operation.tellTheCustomer,
    needsPerson: operation.needsPerson,
    next: nextOf[outcome],
  };
};

export const receiptAnswer = (operation: Operation): CallToolResult => {
  const receipt = receiptOf(operation);
  const amount =
    receipt.amountInWords === undefined
      ? ''
      : ` ${receipt.amountInWords} of order ${String(operation.orderId)}.`;
  return answerOf(`${operation.sentence}${amount} ${receipt.next} Operation ${operation.id}.`, receipt);
};

/** A receipt about something that is no operation, or not yet. */
export const bareReceipt = (
  operationId: string,
  outcome: Receipt['outcome'],
  state: string,
  more: Partial<Receipt> = {},
): Receipt => ({
  operationId,
  state,
  mayRepeat: false,
  outcome,
  isFinal: false,
  next: nextOf[outcome],
  ...more,
});

export const bareAnswer = (receipt: Receipt, isError = false): CallToolResult =>
  answerOf(`${receipt.next} Operation ${receipt.operationId}.`, receipt, isError);

/** Nobody can say now. Without an ID there was no operation to ask of. */
export const notKnownAnswer = (operationId: string, more: Partial<Receipt> = {}): CallToolResult =>
  operationId === ''
    ? answerOf('This cannot be answered at the moment. Ask again later.', { mayRepeat: false, ...more }, true)
    : bareAnswer(bareReceipt(operationId, 'not-known', 'not-judged', more), true);

/**
 * A refusal with its reasons: nothing that was asked for is stored by it. "Unavailable" is none: it says when to come
 * back, and nothing of the operation.
 */
export const refusalAnswer = (operationId: string, problem: Problem, state: string): CallToolResult => {
  const slug = problemSlug(problem);
  const told = { problem: { ...problem, slug } };
  if (slug === 'unavailable') return notKnownAnswer(operationId, told);
  const receipt = bareReceipt(operationId, 'refused', state, told);
  return answerOf(`Refused: ${problem.title}. ${problem.detail} ${receipt.next}`, receipt, true);
};
