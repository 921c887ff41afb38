import type { FaultKind } from '../faults/fault.ts';

export interface FaultField {
  name: 'ms' | 'status' | 'retryAfter' | 'perSecond' | 'amount' | 'then';
  label: string;
  value: string;
}

export interface FaultWords {
  title: string;
  /** What a person should expect to see, in plain words. */
  says: string;
  fields: readonly FaultField[];
}

const ms = (label: string, value: string): FaultField => ({ name: 'ms', label, value });

export const faultWords: Record<FaultKind, FaultWords> = {
  drop_before: {
    title: 'Cut the connection before acting',
    says: 'Nothing is done. To the caller it looks the same as the next one.',
    fields: [],
  },
  execute_then_drop: {
    title: 'Act, then cut the connection',
    says: 'The refund is made; the caller never hears of it.',
    fields: [],
  },
  execute_then_hang: {
    title: 'Act, then never answer',
    says: 'The refund is made; the connection stays open and silent.',
    fields: [],
  },
  execute_then_500: {
    title: 'Act, then answer 500',
    says: 'The refund is made; the 500 is saved under its key and replayed for ever.',
    fields: [],
  },
  error_before: {
    title: 'Answer with an error before acting',
    says: 'Nothing is done, nothing is saved under the key.',
    fields: [{ name: 'status', label: 'HTTP status', value: '503' }],
  },
  rate_limit: {
    title: 'Rate limit',
    says: 'Answers 429. Nothing is done. With a number allowed a second, only what goes beyond it is refused.',
    fields: [
      { name: 'retryAfter', label: 'Retry after (s)', value: '2' },
      { name: 'perSecond', label: 'Allowed a second', value: '' },
    ],
  },
  html_502: {
    title: 'A gateway’s 502 page',
    says: 'HTML instead of JSON. Nothing is done.',
    fields: [],
  },
  truncated_body: {
    title: 'Half an answer',
    says: 'The refund is made; the answer is cut in the middle.',
    fields: [],
  },
  drip_body: {
    title: 'A dripping answer',
    says: 'The refund is made; the answer comes one byte at a time.',
    fields: [ms('Pause between bytes (ms)', '1000')],
  },
  empty_200: {
    title: 'An empty 200',
    says: 'The refund is made; the answer says OK and nothing else.',
    fields: [],
  },
  delay: {
    title: 'Slow',
    says: 'The call waits before it acts. Meanwhile its key is in use.',
    fields: [ms('Delay (ms)', '5000')],
  },
  pending_then: {
    title: 'Pending first',
    says: 'The refund begins as pending and becomes something else later.',
    fields: [{ name: 'then', label: 'Becomes', value: 'succeeded' }, ms('After (ms)', '5000')],
  },
  succeeded_then_failed: {
    title: 'Succeeds, then fails',
    says: 'The refund succeeds and later turns out not to last.',
    fields: [ms('Fails after (ms)', '5000')],
  },
  wrong_amount: {
    title: 'Another amount',
    says: 'The provider refunds another amount than it was asked to.',
    fields: [{ name: 'amount', label: 'Amount (minor units)', value: '100' }],
  },
  hide_from_list: {
    title: 'Missing from lists',
    says: 'The refund is made, and listings do not show it for a while.',
    fields: [ms('Hidden for (ms)', '10000')],
  },
  hold: {
    title: 'Hold webhooks back',
    says: 'Nothing is delivered until it is released or the faults are cleared.',
    fields: [],
  },
  duplicate: {
    title: 'Deliver twice',
    says: 'The same event arrives two times.',
    fields: [],
  },
  reorder: {
    title: 'Out of order',
    says: 'An event waits until a later one has overtaken it, or until its time is up.',
    fields: [ms('At most (ms)', '5000')],
  },
  before_response: {
    title: 'Webhook before the answer',
    says: 'The webhook arrives before the refund’s own answer leaves.',
    fields: [],
  },
  wrong_signature: {
    title: 'Wrong signature',
    says: 'Signed with another secret. The next attempt is signed rightly.',
    fields: [],
  },
  stale_timestamp: {
    title: 'Old signature',
    says: 'Signed rightly, with a timestamp from the past (or, negative, the future).',
    fields: [ms('Age (ms)', '600000')],
  },
};
