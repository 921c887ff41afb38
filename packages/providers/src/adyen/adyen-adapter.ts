import type { ProviderAdapter } from '../provider-adapter.ts';
import type { JsonAccess } from '../wire/call-json.ts';
import { notOffered } from '../wire/no-answer.ts';
import { readBase } from '../wire/read-base.ts';
import { submitJson } from '../wire/submit-json.ts';
import { adyenContract } from './adyen-contract.ts';
import { classifyAdyen, encodeAdyenRefund } from './adyen-refund.ts';
import { verifyAdyenWebhook } from './verify-adyen-webhook.ts';

export type AdyenAdapterOptions = {
  readonly apiKey: string;
  readonly merchantAccount: string;
  /** One regional endpoint for ever: keys are not shared between them. */
  readonly apiBase: string;
  readonly nowMs: () => number;
};

/** One Adyen merchant account. It can be told and can tell us; it cannot be asked. */
export const createAdyenAdapter = (options: AdyenAdapterOptions): ProviderAdapter => {
  const { apiKey, merchantAccount, nowMs } = options;
  const access: JsonAccess = {
    ...readBase('Adyen', options.apiBase, 'https://checkout-test.adyen.com'),
    headers: { 'x-api-key': apiKey },
    nowMs,
  };
  const noQuestion = () => Promise.resolve(notOffered('Adyen has no question for refunds'));
  return {
    contract: adyenContract,
    encodeRefund: (request) => encodeAdyenRefund(request, merchantAccount),
    submit: (request, expected, deadlineMs) =>
      submitJson(access, {
        ...{ request, expected, deadlineMs },
        headers: { 'idempotency-key': request.idempotencyKey },
        classify: (answer) => classifyAdyen(answer, nowMs()),
        requestIdHeader: 'pspreference',
      }),
    askAboutPayment: noQuestion,
    askAboutRefund: noQuestion,
    listSince: noQuestion,
    refundPage: noQuestion,
    askAccount: () =>
      Promise.resolve({ ...notOffered('Adyen has no question for the account'), reason: 'not-said-here' }),
    verifyWebhook: verifyAdyenWebhook,
  };
};
