import type { ProviderAdapter, RefundAnswer } from '../provider-adapter.ts';
import { askJson } from '../wire/ask-json.ts';
import type { JsonAccess } from '../wire/call-json.ts';
import { noAnswer, notOffered } from '../wire/no-answer.ts';
import { readBase } from '../wire/read-base.ts';
import { submitJson } from '../wire/submit-json.ts';
import { paypalContract } from './paypal-contract.ts';
import { classifyPaypal, encodePaypalRefund, isPaypals, readPaypalRefund } from './paypal-refund.ts';

export type PaypalAdapterOptions = {
  /** A good access token. Exchanging client credentials for one is not this adapter's. */
  readonly accessToken: string;
  readonly apiBase?: string;
  readonly nowMs: () => number;
};

const paypalBase = 'https://api-m.paypal.com';

const askAboutRefund = async (
  access: JsonAccess,
  reference: string,
  deadlineMs: number,
): Promise<RefundAnswer> => {
  const path = `/v2/payments/refunds/${encodeURIComponent(reference)}`;
  const asked = await askJson(access, path, deadlineMs, isPaypals);
  if (asked.kind !== 'answer') return asked;
  const record = readPaypalRefund(asked.body);
  return record?.reference === reference
    ? { kind: 'answer', record }
    : noAnswer('refund that could not be read');
};

/** One PayPal account. A refund can be asked about by PayPal's own ID alone: what became of a lost one, only its key tells. */
export const createPaypalAdapter = (options: PaypalAdapterOptions): ProviderAdapter => {
  const { accessToken, apiBase = paypalBase, nowMs } = options;
  const access: JsonAccess = {
    ...readBase('PayPal', apiBase, paypalBase),
    headers: { authorization: `Bearer ${accessToken}` },
    nowMs,
  };
  const noList = () => Promise.resolve(notOffered('PayPal lists no refunds of a capture'));
  return {
    contract: paypalContract,
    encodeRefund: encodePaypalRefund,
    submit: (request, expected, deadlineMs) =>
      submitJson(access, {
        ...{ request, expected, deadlineMs, classify: classifyPaypal },
        // Without the second, an answer shows neither amount nor our IDs.
        headers: { 'paypal-request-id': request.idempotencyKey, prefer: 'return=representation' },
        requestIdHeader: 'paypal-debug-id',
      }),
    askAboutPayment: noList,
    askAboutRefund: (reference, deadlineMs) => askAboutRefund(access, reference, deadlineMs),
    listSince: noList,
    refundPage: noList,
    askAccount: () => Promise.resolve({ ...notOffered('not asked of PayPal here'), reason: 'not-said-here' }),
    // Its signature needs a certificate that the delivery itself names: not built, so no delivery is believed.
    verifyWebhook: () => ({ ok: false, because: 'no-signature' }),
  };
};
