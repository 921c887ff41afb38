import { formatAmount } from '@holdfast/operation';
import type { Answer, Missing, Obstacle, QuestionKind } from './answer.ts';

const questions: Record<QuestionKind, string> = {
  'which-order': 'Which order is it about?',
  'which-line': 'Which of these is it?',
  'which-return': 'Several returns have arrived. Which one is it about?',
  'which-operation': 'There are several refunds. Which one do you mean?',
  'how-much': 'How much should be refunded?',
  'how-many': 'How many of them?',
  'order-and-customer-differ': 'That order is another customer’s. Which of the two is right?',
  'what-is-meant': 'More than one thing may be meant. What exactly should be refunded?',
  'what-else': 'I did not understand all of it. What exactly should be refunded?',
};

const becauses: Record<Obstacle, string> = {
  'not-found': 'I could not find that.',
  'no-request': 'I can draft a refund, or say what became of one. Nothing of either is asked for.',
  'asked-not-to': 'That says not to refund, so there is no draft.',
  'not-an-assistants-to-do': 'Only people decide about refunds. I can draft one, or say what became of it.',
  'other-currency': 'That payment is in another currency.',
  'exceeds-refundable': 'That is more than can still be refunded.',
  'more-than-ordered': 'That is more than was ordered.',
  'return-not-received': 'No return of it has been received yet.',
};

const missingWords: Record<Missing['what'], string> = {
  order: 'Order not found',
  ticket: 'Ticket not found',
  customer: 'Customer not found',
  line: 'Not in the order',
  return: 'No return of order',
  operation: 'No refund of order',
  reason: 'No reason read, please choose one',
  amount: 'Amount',
  words: 'Not understood',
  request: 'Not understood',
};

const sayMissing = ({ what, said }: Missing): string =>
  said === '' ? `${missingWords[what]}.` : `${missingWords[what]}: ${said}.`;

/** An answer as a person reads it. Quotations are not in it: they are shown as what they are. */
export const sayAnswer = (answer: Answer): string => {
  const rest = answer.missing.map(sayMissing);
  switch (answer.kind) {
    case 'draft': {
      const { orderId, amount, lines } = answer.draft;
      const of = answer.read.filter(({ what, id }) => what === 'line' && lines.some(({ sku }) => sku === id));
      const goods = of.length === 0 ? '' : ` for ${of.map(({ title }) => title).join(' and ')}`;
      return [
        `A draft: ${formatAmount(amount)} of order ${orderId}${goods}. Look it over before you send it.`,
        ...rest,
      ].join(' ');
    }
    case 'question':
      return [questions[answer.question], ...rest].join(' ');
    case 'nothing':
      return [becauses[answer.because], ...rest].join(' ');
    case 'report':
      return answer.operation.sentence;
  }
};
