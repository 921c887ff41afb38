import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ProviderRecord } from '@holdfast/operation';
import type { MirroredDispute, VerifiedEvent, WebhookVerdict } from '../provider-adapter.ts';
import { fromProviderAmount } from '../provider-money.ts';
import { idsIn } from '../wire/check-request.ts';
import { fieldsOf, isoTimeMs, textOf, type Fields } from '../wire/fields.ts';
import { adyenContract } from './adyen-contract.ts';

/**
 * What Adyen signs, in this order. Neither the time nor the mode is among it: an old delivery can be put in again, and,
 * known by its ID, changes nothing; a key belongs to one endpoint of one mode, so a foreign mode does not verify.
 */
export const signedText = (item: Fields): string => {
  const amount = fieldsOf(item['amount']);
  const parts = [
    ...[item['pspReference'], item['originalReference'], item['merchantAccountCode']],
    ...[item['merchantReference'], amount?.['value'], amount?.['currency']],
    ...[item['eventCode'], item['success']],
  ];
  return parts.map((part) => (typeof part === 'string' || typeof part === 'number' ? part : '')).join(':');
};

/**
 * The parts are joined as they are. Only the merchant's own reference may hold the mark that joins them: else one signed
 * text could be read as other parts than those that were signed.
 */
const isUnambiguous = (item: Fields): boolean =>
  [item['pspReference'], item['originalReference'], item['merchantAccountCode'], item['eventCode']].every(
    (part) => !(textOf(part) ?? '').includes(':'),
  );

const isSignedWith = (item: Fields, signature: string, secret: string): boolean => {
  if (!/^([0-9a-fA-F]{2})+$/.test(secret)) return false;
  const expected = createHmac('sha256', Buffer.from(secret, 'hex')).update(signedText(item), 'utf8').digest();
  const given = Buffer.from(signature, 'base64');
  return given.byteLength === expected.byteLength && timingSafeEqual(given, expected);
};

/** Exactly one item, as Adyen sends it: of several, one could be known and another new. */
const itemIn = (rawBody: Uint8Array): { readonly item: Fields; readonly live: unknown } | undefined => {
  try {
    const body = fieldsOf(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody)));
    const items = body?.['notificationItems'];
    if (!Array.isArray(items) || items.length !== 1) return undefined;
    const item = fieldsOf(fieldsOf(items[0])?.['NotificationRequestItem']);
    return item && { item, live: body?.['live'] };
  } catch {
    return undefined;
  }
};

/** How the refund stands by this event; `null` for an event that is not about a refund, or of a kind we do not know. */
const refundStatus = (eventCode: string, success: boolean): ProviderRecord['status'] | null => {
  switch (eventCode) {
    case 'REFUND':
      return success ? 'succeeded' : 'failed';
    case 'REFUND_FAILED':
    case 'REFUNDED_REVERSED':
      return success ? 'failed' : null;
    default:
      return null;
  }
};

const disputeCodes = ['CHARGEBACK', 'SECOND_CHARGEBACK', 'NOTIFICATION_OF_CHARGEBACK'];

const readEvent = (item: Fields, live: unknown): VerifiedEvent | undefined => {
  const [eventCode, reference] = [textOf(item['eventCode']), textOf(item['pspReference'])];
  const createdAtMs = isoTimeMs(item['eventDate']);
  const { success } = item;
  if (!eventCode || !reference || createdAtMs === undefined) return undefined;
  if (success !== 'true' && success !== 'false') return undefined;
  if (live !== 'true' && live !== 'false') return undefined;
  const money = fieldsOf(item['amount']);
  const amount = fromProviderAmount(adyenContract, money?.['value'], money?.['currency']);
  const paymentReference = textOf(item['originalReference']);
  const ids = idsIn(textOf(item['merchantReference']));
  const status = refundStatus(eventCode, success === 'true');
  const whole = amount !== undefined && paymentReference !== null;
  const record: ProviderRecord | null =
    whole && status !== null
      ? {
          ...{
            reference,
            status,
            statusText: `${eventCode} ${success}`,
            amount,
            paymentReference,
            createdAtMs,
          },
          ...{ failureReason: status === 'failed' ? textOf(item['reason']) : null, ...ids },
        }
      : null;
  const dispute: MirroredDispute | null =
    whole && disputeCodes.includes(eventCode)
      ? { reference, paymentReference, amount, open: true, statusText: eventCode, createdAtMs }
      : null;
  return {
    ...{ eventId: `${eventCode}:${reference}:${success}`, type: eventCode, createdAtMs, record, dispute },
    ...{ liveMode: live === 'true', accountId: textOf(item['merchantAccountCode']) },
    ...{ objectReference: reference, paymentReference, idempotencyKey: null },
    ...{ metadataOrganisationId: ids.organisationId, metadataOperationId: ids.operationId },
  };
};

/** The signature stands inside the body, and no header carries one. */
export const verifyAdyenWebhook = (
  rawBody: Uint8Array,
  _signatureHeader: string | undefined,
  secrets: readonly string[],
): WebhookVerdict => {
  const found = itemIn(rawBody);
  if (found === undefined) return { ok: false, because: 'no-signature' };
  const signature = textOf(fieldsOf(found.item['additionalData'])?.['hmacSignature']);
  if (signature === null) return { ok: false, because: 'no-signature' };
  const secretIndex = secrets.findIndex((secret) => isSignedWith(found.item, signature, secret));
  if (secretIndex === -1) return { ok: false, because: 'bad-signature' };
  const event = isUnambiguous(found.item) ? readEvent(found.item, found.live) : undefined;
  // Without a signed time nothing is said of our clock.
  return event === undefined
    ? { ok: false, because: 'unreadable' }
    : { ok: true, event, secretIndex, skewMs: 0 };
};
