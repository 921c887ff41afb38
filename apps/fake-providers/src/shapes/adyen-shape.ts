import { createHmac } from 'node:crypto';
import type { Answer, Refund } from '../books.ts';
import { recordIn, textIn, type Call, type RefundCall, type Shape } from './shape.ts';

const dayMs = 24 * 3_600_000;

const error = (status: number, errorCode: string, errorType: string, message: string): Answer => ({
  status,
  body: { status, errorCode, errorType, message },
});

const merchantAccount = 'FakeMerchant';

const refundCall = ({ method, path, body }: Call): RefundCall | 'bad-request' | undefined => {
  const payment = /^\/v72\/payments\/([^/]+)\/refunds$/.exec(path)?.[1];
  if (method !== 'POST' || payment === undefined) return undefined;
  const { value, currency } = recordIn(body?.['amount']);
  if (typeof value !== 'number' || value <= 0 || typeof currency !== 'string') return 'bad-request';
  if (body?.['merchantAccount'] !== merchantAccount) return 'bad-request';
  return { payment, amount: value, currency, reference: body['reference'] ?? null };
};

/** Adyen's item, signed as Adyen signs: the reference of the refund is its own, that of the payment the original. */
const webhook = (refund: Refund, event: 'settled' | 'reversed', secret: string): unknown => {
  const eventCode = event === 'settled' ? 'REFUND' : 'REFUND_FAILED';
  const success = event === 'reversed' || refund.status === 'succeeded' ? 'true' : 'false';
  const merchantReference = textIn(refund.reference);
  const parts = [refund.id, refund.payment, merchantAccount, merchantReference];
  const signed = [...parts, refund.amount, refund.currency, eventCode, success].join(':');
  const hmacSignature = createHmac('sha256', Buffer.from(secret, 'hex')).update(signed).digest('base64');
  return {
    live: 'false',
    notificationItems: [
      {
        NotificationRequestItem: {
          additionalData: { hmacSignature },
          amount: { currency: refund.currency, value: refund.amount },
          eventCode,
          eventDate: new Date(refund.createdMs).toISOString(),
          merchantAccountCode: merchantAccount,
          merchantReference,
          originalReference: refund.payment,
          pspReference: refund.id,
          reason: success === 'true' && event === 'settled' ? '' : 'Refused by the acquirer',
          success,
        },
      },
    ],
  };
};

/** Takes a refund, says "received", and tells by webhook alone how it ended. */
export const adyenShape: Shape = {
  name: 'adyen',
  refundPrefix: 'AD',
  credential: ({ headers }) => headers['x-api-key'],
  unauthorised: () => error(401, '000', 'security', 'HTTP Status Response - Unauthorized'),
  tooMany: () => ({ ...error(429, '429', 'security', 'Too many requests'), headers: { 'retry-after': '2' } }),
  serverError: () => error(500, '905', 'internal', 'Internal error'),
  refundCall,
  keyOf: ({ headers }) => headers['idempotency-key'] ?? null,
  keyWindowMs: 7 * dayMs,
  inFlight: () => error(422, '704', 'validation', 'request already processed or in progress'),
  otherBody: null,
  replays: 'saved',
  refuses: 'later',
  accepted: (refund) => ({
    status: 201,
    headers: { pspreference: refund.id },
    body: {
      merchantAccount,
      paymentPspReference: refund.payment,
      pspReference: refund.id,
      reference: refund.reference,
      status: 'received',
      amount: { currency: refund.currency, value: refund.amount },
    },
  }),
  refused: (refusal) =>
    refusal === 'bad-request'
      ? error(422, '100', 'validation', 'Required object is not provided.')
      : error(422, '167', 'validation', 'Original pspReference required for this operation'),
  question: () => undefined,
  webhook,
};
