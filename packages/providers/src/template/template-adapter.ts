import type { AttemptFinding } from '@holdfast/operation';
import type { EncodeResult, ProviderAdapter, RefundRequest } from '../provider-adapter.ts';
import type { JsonAccess, JsonAnswered } from '../wire/call-json.ts';
import { notOffered } from '../wire/no-answer.ts';
import { readBase } from '../wire/read-base.ts';
import { submitJson, unknown } from '../wire/submit-json.ts';
import { templateContract } from './template-contract.ts';

/**
 * A copy of this is where a new adapter begins. It is careful and does nothing: it makes no bytes, concludes nothing
 * from any answer, and believes no webhook. Its suite fails until it is right, and `docs/adding-a-provider.md` says in
 * which order it becomes so.
 */
export type TemplateAdapterOptions = {
  readonly apiKey: string;
  readonly apiBase: string;
  readonly nowMs: () => number;
};

/** 2. The refund as bytes: the amount always said, both our IDs where the provider gives them back. Never cut, never rounded. */
const encodeRefund = (_request: RefundRequest): EncodeResult => ({
  ok: false,
  because: 'The adapter makes no bytes yet.',
});

/** 3. How one POST ended. What is proved here, by status and code, is the only thing that is not unknown. */
const classify = ({ status }: JsonAnswered): AttemptFinding => unknown(`answer ${String(status)}`);

export const createTemplateAdapter = ({
  apiKey,
  apiBase,
  nowMs,
}: TemplateAdapterOptions): ProviderAdapter => {
  const access: JsonAccess = {
    ...readBase('Template', apiBase, 'https://api.example.com'),
    headers: { authorization: `Bearer ${apiKey}` },
    nowMs,
  };
  // 4. Each question that the provider has. One that it does not have says so, and is never an empty list.
  const noQuestion = () => Promise.resolve(notOffered('not asked yet'));
  return {
    contract: templateContract,
    encodeRefund,
    submit: (request, expected, deadlineMs) =>
      // The key belongs into the header or field that the provider reads it from, if it reads one.
      submitJson(access, { ...{ request, expected, deadlineMs, classify }, headers: {} }),
    askAboutPayment: noQuestion,
    askAboutRefund: noQuestion,
    listSince: noQuestion,
    refundPage: noQuestion,
    askAccount: () => Promise.resolve({ ...notOffered('not asked yet'), reason: 'not-said-here' }),
    // 5. Signature first, then age in both directions where a time is signed, then what it says.
    verifyWebhook: () => ({ ok: false, because: 'no-signature' }),
  };
};
