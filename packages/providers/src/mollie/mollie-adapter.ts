import type { ProviderAdapter } from '../provider-adapter.ts';
import type { JsonAccess } from '../wire/call-json.ts';
import { readBase } from '../wire/read-base.ts';
import { submitJson } from '../wire/submit-json.ts';
import { askAboutPayment, askAboutRefund, askAccount, listSince, refundPage } from './ask-mollie.ts';
import { mollieContract } from './mollie-contract.ts';
import { classifyMollie, encodeMollieRefund } from './mollie-refund.ts';

export type MollieAdapterOptions = {
  readonly apiKey: string;
  readonly apiBase?: string;
  readonly nowMs: () => number;
};

const mollieBase = 'https://api.mollie.com';

/** One Mollie profile: a short window for keys, and lists that may be behind. */
export const createMollieAdapter = (options: MollieAdapterOptions): ProviderAdapter => {
  const { apiKey, apiBase = mollieBase, nowMs } = options;
  const access: JsonAccess = {
    ...readBase('Mollie', apiBase, mollieBase),
    headers: { authorization: `Bearer ${apiKey}` },
    nowMs,
  };
  return {
    contract: mollieContract,
    encodeRefund: encodeMollieRefund,
    submit: (request, expected, deadlineMs) =>
      submitJson(access, {
        ...{ request, expected, deadlineMs, classify: classifyMollie },
        headers: { 'idempotency-key': request.idempotencyKey },
      }),
    askAboutPayment: (reference, deadlineMs) => askAboutPayment(access, reference, deadlineMs),
    askAboutRefund: (reference, deadlineMs) => askAboutRefund(access, reference, deadlineMs),
    listSince: (sinceMs, deadlineMs) => listSince(access, sinceMs, deadlineMs),
    refundPage: (sinceMs, after, deadlineMs) => refundPage(access, sinceMs, after, deadlineMs),
    askAccount: (deadlineMs) => askAccount(access, deadlineMs),
    // Its plain webhooks carry an ID and no signature: what they would tell, the listing shows. None is believed.
    verifyWebhook: () => ({ ok: false, because: 'no-signature' }),
  };
};
