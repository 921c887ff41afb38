import Stripe from 'stripe';
import type { WebhookVerdict } from '../provider-adapter.ts';
import { readEvent } from './stripe-event.ts';

/** Stripe's own tolerance. Checked here in both directions: the library lets a timestamp from the future pass. */
const toleranceSeconds = 300;

/** For the library, which we ask about the signature alone: its own age check must never be the one that decides. */
const anyAge = Number.MAX_SAFE_INTEGER;

/**
 * The signed time in seconds; `undefined` unless the header names exactly one. (The library reads the last of
 * several: whoever puts another `t=` before an old one must not be able to choose which one we call young.)
 */
const signedAtSeconds = (header: string): number | undefined => {
  const times = header.split(',').filter((part) => part.split('=')[0] === 't');
  const [text] = times;
  if (times.length !== 1 || text === undefined || !/^t=\d{1,12}$/.test(text)) return undefined;
  return Number(text.slice(2));
};

const isSignedWith = (rawBody: Uint8Array, header: string, secret: string): boolean => {
  try {
    return Stripe.webhooks.signature?.verifyHeader(rawBody, header, secret, anyAge) === true;
  } catch {
    return false;
  }
};

const parse = (rawBody: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody));
  } catch {
    return undefined;
  }
};

/**
 * @param rawBody the bytes as they came, before any parsing
 * @param secrets several while one is being rotated; the verdict says which one it was (the first that fits)
 * @param nowMs our clock, milliseconds since the epoch; `skewMs` is how far it is ahead of the signed time
 */
export const verifyStripeWebhook = (
  rawBody: Uint8Array,
  signatureHeader: string | undefined,
  secrets: readonly string[],
  nowMs: number,
): WebhookVerdict => {
  const signedAt = signatureHeader === undefined ? undefined : signedAtSeconds(signatureHeader);
  if (signatureHeader === undefined || signatureHeader === '') return { ok: false, because: 'no-signature' };
  if (signedAt === undefined) return { ok: false, because: 'bad-signature' };
  const secretIndex = secrets.findIndex((secret) => isSignedWith(rawBody, signatureHeader, secret));
  if (secretIndex === -1) return { ok: false, because: 'bad-signature' };
  const ageSeconds = Math.floor(nowMs / 1000) - signedAt;
  if (ageSeconds > toleranceSeconds) return { ok: false, because: 'too-old' };
  if (ageSeconds < -toleranceSeconds) return { ok: false, because: 'from-the-future' };
  const event = readEvent(parse(rawBody));
  if (event === undefined) return { ok: false, because: 'unreadable' };
  return { ok: true, event, secretIndex, skewMs: nowMs - signedAt * 1000 };
};
