import type { VerifiedEvent, WebhookVerdict } from '@holdfast/providers';
import type { ProviderAccount, ProviderDirectory, WebhookAnswer } from '../engine-interface.ts';

export type ReceiveWebhookPorts = {
  readonly providers: ProviderDirectory;
  readonly nowMs: () => Promise<number>;
  /** Stores the raw event durably; an event is known by its ID alone. Throws while the database is away. */
  readonly store: (
    account: ProviderAccount,
    event: VerifiedEvent,
    rawBody: Uint8Array,
    skewMs: number,
  ) => Promise<'stored' | 'known'>;
};

type Refusal = Extract<WebhookVerdict, { ok: false }>['because'];

/** A refusal that tells more wins: a good signature that is too old beats a signature that fits another account. */
const telling: Record<Refusal, number> = {
  'no-signature': 0,
  'bad-signature': 1,
  unreadable: 2,
  'too-old': 3,
  'from-the-future': 3,
};

/**
 * Takes one delivery of a provider. The secret that verifies it names its account. The answer is `stored` or `known`
 * only once the event is durable; what the event means is worked out later, apart from this.
 */
export const receiveWebhook = async (
  ports: ReceiveWebhookPorts,
  rawBody: Uint8Array,
  signatureHeader: string | undefined,
): Promise<WebhookAnswer> => {
  const nowMs = await ports.nowMs();
  let because: Refusal = signatureHeader === undefined ? 'no-signature' : 'bad-signature';
  for (const account of ports.providers.accounts()) {
    const verdict = account.adapter.verifyWebhook(rawBody, signatureHeader, account.webhookSecrets, nowMs);
    if (verdict.ok) {
      return { kind: await ports.store(account, verdict.event, rawBody, verdict.skewMs) };
    }
    if (telling[verdict.because] > telling[because]) because = verdict.because;
  }
  return { kind: 'refused', because };
};
