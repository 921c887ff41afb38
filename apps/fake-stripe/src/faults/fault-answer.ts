import { type Answer, type Ending, jsonAnswer } from '../http/answer.ts';
import type { answerKinds, FaultOf } from './fault.ts';

export type AnswerFault = FaultOf<(typeof answerKinds)[number]>;

/** What a fault makes of a call: done or not, and with which words or silence it is answered. */
export interface FaultPlan {
  execute: boolean;
  /** Instead of the call's own answer. */
  answer: Answer | null;
  /** Whether `answer` is what the idempotency key remembers. */
  saved: boolean;
  ending: Ending;
}

const whole: Ending = { how: 'whole' };
const noFault: FaultPlan = { execute: true, answer: null, saved: false, ending: whole };

/** `hitNumber`: how often this fault has hit, this call included. */
export function planFault(fault: AnswerFault | null, hitNumber: number): FaultPlan {
  switch (fault?.do) {
    case undefined:
      return noFault;
    case 'drop_before':
      return { ...noFault, execute: false, ending: { how: 'drop' } };
    case 'execute_then_drop':
      return { ...noFault, ending: { how: 'drop' } };
    case 'execute_then_hang':
      return { ...noFault, ending: { how: 'hang' } };
    case 'execute_then_500':
      return { ...noFault, answer: jsonAnswer(500, { error: apiError }), saved: true };
    case 'error_before':
      return { ...noFault, execute: false, answer: errorAnswer(fault), saved: fault.saved };
    case 'rate_limit':
      return { ...noFault, execute: false, answer: rateLimitAnswer(fault, hitNumber) };
    case 'html_502':
      return { ...noFault, execute: fault.execute, answer: badGateway };
    case 'truncated_body':
      return { ...noFault, execute: fault.execute, ending: { how: 'truncate' } };
    case 'drip_body':
      return { ...noFault, execute: fault.execute, ending: { how: 'drip', everyMs: fault.ms } };
    case 'empty_200':
      return { ...noFault, execute: fault.execute, answer: { status: 200, headers: {}, body: '' } };
  }
}

const apiError = {
  type: 'api_error',
  message: 'An unknown error occurred. The result of this request is indeterminate.',
};

const badGateway: Answer = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>\n',
};

const lockTimeout = {
  type: 'invalid_request_error',
  code: 'lock_timeout',
  message:
    'This object cannot be accessed right now because another API request or Stripe process is currently accessing it.',
};

function rateLimitAnswer({ retryAfter, lockTimeoutEvery }: FaultOf<'rate_limit'>, hitNumber: number): Answer {
  if (lockTimeoutEvery !== undefined && hitNumber % lockTimeoutEvery === 0) {
    return jsonAnswer(429, { error: lockTimeout });
  }
  const message = 'Request rate limit exceeded. Please retry the request later.';
  const answer = jsonAnswer(429, { error: { type: 'invalid_request_error', code: 'rate_limit', message } });
  const headers = { ...answer.headers, 'retry-after': String(retryAfter) };
  return { ...answer, headers };
}

function errorAnswer(fault: FaultOf<'error_before'>): Answer {
  const { status, code } = fault;
  const type = fault.type ?? usualType(status);
  const message = fault.message ?? `The fake Stripe was asked to answer with ${status}.`;
  return jsonAnswer(status, { error: { type, ...(code === undefined ? {} : { code }), message } });
}

function usualType(status: number): string {
  if (status >= 500) return 'api_error';
  return status === 402 ? 'card_error' : 'invalid_request_error';
}
