import { createECDH, createHmac } from 'node:crypto';
import { lookup, type LookupAddress } from 'node:dns';
import { Agent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Delivery } from '@holdfast/engine';
import webPush from 'web-push';
import { isPublicAddress } from '../announce/address-rules.ts';
import { judgePushEndpoint } from './push-endpoint.ts';

export type PushKeys = { readonly publicKey: string; readonly privateKey: string };

/** How many numbers there are to take a private key from; all but one in four thousand million bytes will do. */
const mostDraws = 100;

/**
 * The key pair that this installation signs its pushes with. Every process derives it from what they share already, so it
 * is nowhere to be lost: with another one, every browser would have to be asked again.
 */
export const pushKeysFrom = (sharedKey: Uint8Array): PushKeys => {
  for (let draw = 0; draw < mostDraws; draw += 1) {
    const secret = createHmac('sha256', sharedKey)
      .update(`holdfast web push ${String(draw)}`)
      .digest();
    const curve = createECDH('prime256v1');
    try {
      curve.setPrivateKey(secret);
    } catch {
      continue;
    }
    return { publicKey: curve.getPublicKey('base64url'), privateKey: secret.toString('base64url') };
  }
  throw new Error('no key could be derived');
};

export type PushTarget = {
  readonly endpoint: string;
  readonly publicKey: string;
  readonly authSecret: string;
};
export type PushContent = {
  readonly payload: string;
  /** A push service keeps the newest of a topic for a browser that is away; the browser replaces by it, too. */
  readonly topic: string;
  readonly secondsToLive: number;
};
export type PushSender = {
  readonly publicKey: string;
  /** Never throws: what came of it is a value. */
  readonly send: (target: PushTarget, content: PushContent) => Promise<Delivery>;
  readonly close: () => void;
};

/** Where a name leads is looked at when the connection is made: a public name may lead into our own network. */
const publicLookup: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: readonly LookupAddress[]) => {
    const [first] = addresses ?? [];
    if (error !== null) return done(error, '', 4);
    if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
      return done(Object.assign(new Error('not a public address'), { code: 'NOT_PUBLIC' }), '', 4);
    }
    if (options.all === true) return done(null, [...addresses]);
    return done(null, first.address, first.family);
  });
};

const deadlineMs = 15_000;

const retryAfterMs = (header: string | undefined): number | null => {
  if (header === undefined) return null;
  return /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : null;
};

type Posted = { readonly endpoint: string; readonly headers: Record<string, string>; readonly body: Buffer };

/** Asks once, follows nothing, reads no answer's body, and ends by its deadline whatever the other side does. */
const post = ({ endpoint, headers, body }: Posted, agent: Agent): Promise<Delivery> =>
  new Promise((resolve) => {
    const asked = httpsRequest(endpoint, {
      method: 'POST',
      headers,
      agent,
      signal: AbortSignal.timeout(deadlineMs),
    });
    asked.on('response', (response) => {
      resolve({
        kind: 'answered',
        status: response.statusCode ?? 0,
        retryAfterMs: retryAfterMs(response.headers['retry-after']),
      });
      response.destroy();
    });
    asked.on('error', () => {
      resolve({ kind: 'unreachable' });
    });
    asked.end(body);
  });

export type PushSenderParts = {
  readonly keys: PushKeys;
  /** Who push services can turn to: an https address or `mailto:`. */
  readonly contact: string;
  /** Origins that may be anywhere, also in our own network. */
  readonly services: readonly string[];
  /** A certificate to trust beside the usual ones; tests have a push service of their own. */
  readonly certificate?: string;
};

export const openPushSender = ({ keys, contact, services, certificate }: PushSenderParts): PushSender => {
  const trust = certificate === undefined ? {} : { ca: certificate };
  const outside = new Agent({ ...trust, lookup: publicLookup, maxSockets: 8 });
  const trusted = new Agent({ ...trust, maxSockets: 8 });
  const vapidDetails = { subject: contact, ...keys };
  return {
    publicKey: keys.publicKey,
    send: async ({ endpoint, publicKey, authSecret }, { payload, topic, secondsToLive }) => {
      const judged = judgePushEndpoint(endpoint, services);
      // It was taken under other rules than today's: this browser's subscription ends.
      if (!judged.ok) return { kind: 'answered', status: 403, retryAfterMs: null };
      const subscription = { endpoint: judged.href, keys: { p256dh: publicKey, auth: authSecret } };
      try {
        const made = webPush.generateRequestDetails(subscription, payload, {
          ...{ vapidDetails, topic, urgency: 'high', TTL: secondsToLive, contentEncoding: 'aes128gcm' },
        });
        const headers = Object.fromEntries(
          Object.entries(made.headers).map(([name, value]) => [name, String(value)]),
        );
        const agent = services.includes(new URL(judged.href).origin) ? trusted : outside;
        return await post({ endpoint: judged.href, headers, body: made.body }, agent);
      } catch {
        // Keys that nothing can be encrypted for.
        return { kind: 'answered', status: 400, retryAfterMs: null };
      }
    },
    close: () => {
      outside.destroy();
      trusted.destroy();
    },
  };
};
