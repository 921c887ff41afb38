import { type Parameters, outerName, readPairs } from './parameters.ts';
import { invalidRequest, type Refusal, unknownParameter } from './refusal.ts';

export interface RefundRequest {
  paymentIntent: string | null;
  charge: string | null;
  /** Null means: all that is left. */
  amount: number | null;
  reason: string | null;
  metadata: Record<string, string>;
}

const knownNames = new Set(['payment_intent', 'charge', 'amount', 'reason', 'metadata', 'expand']);
const reasons = ['duplicate', 'fraudulent', 'requested_by_customer'];
const metadataPairs = 50;
const metadataKeyLength = 40;
const metadataValueLength = 500;

/** What Stripe refuses before it executes anything; none of these answers is saved under the key. */
export function readRefundRequest(parameters: Parameters): { request: RefundRequest } | { refusal: Refusal } {
  const unknown = [...parameters.keys()].find((field) => !knownNames.has(outerName(field)));
  if (unknown !== undefined) return { refusal: unknownParameter(outerName(unknown)) };
  const paymentIntent = parameters.get('payment_intent') ?? null;
  const charge = parameters.get('charge') ?? null;
  if (!paymentIntent && !charge) {
    const message =
      'One of the following params should be provided for this request: payment_intent or charge.';
    return { refusal: invalidRequest(message) };
  }
  const amountText = parameters.get('amount') ?? null;
  const amount = amountText === null ? null : readAmount(amountText);
  if (amount instanceof Object) return { refusal: amount };
  const reason = parameters.get('reason') ?? null;
  if (reason !== null && !reasons.includes(reason)) {
    const message = `Invalid reason: must be one of ${reasons.join(', ')}`;
    return { refusal: invalidRequest(message, { param: 'reason' }) };
  }
  const metadata = readPairs(parameters, 'metadata');
  const problem = judgeMetadata(metadata);
  if (problem !== null) return { refusal: problem };
  return { request: { paymentIntent, charge, amount, reason, metadata } };
}

function readAmount(text: string): number | Refusal {
  if (!/^-?\d{1,15}$/.test(text)) {
    const more = { param: 'amount', code: 'parameter_invalid_integer' };
    return invalidRequest(`Invalid integer: ${text}`, more);
  }
  const amount = Number(text);
  if (amount > 0) return amount;
  const more = { param: 'amount', code: 'parameter_invalid_integer' };
  return invalidRequest('This value must be greater than or equal to 1.', more);
}

function judgeMetadata(metadata: Record<string, string>): Refusal | null {
  const pairs = Object.entries(metadata);
  if (pairs.length > metadataPairs) {
    const message = `You may only specify up to ${metadataPairs} metadata keys, but you are trying to specify ${pairs.length}.`;
    return invalidRequest(message, { param: 'metadata' });
  }
  for (const [key, value] of pairs) {
    if (key.length > metadataKeyLength || /[[\]]/.test(key)) {
      const message = `Metadata keys can have up to ${metadataKeyLength} characters, without square brackets; '${key}' cannot be used.`;
      return invalidRequest(message, { param: 'metadata' });
    }
    if (value.length > metadataValueLength) {
      const message = `Metadata values can have up to ${metadataValueLength} characters, but you passed in a value that is ${value.length} characters.`;
      return invalidRequest(message, { param: `metadata[${key}]` });
    }
  }
  return null;
}
