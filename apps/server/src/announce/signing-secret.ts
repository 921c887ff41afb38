import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { openText, sealText } from '../start/sealed-secrets.ts';

/** As Standard Webhooks writes one: 24 to 64 bytes behind `whsec_`. */
export const mintSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const boundTo = (organisationId: string, endpointId: string): readonly string[] => [
  'webhook endpoint',
  organisationId,
  endpointId,
];

export const sealSigningSecret = (
  key: Uint8Array,
  organisationId: string,
  endpointId: string,
  secret: string,
): Uint8Array => sealText(key, boundTo(organisationId, endpointId), secret);

export const openSigningSecret = (
  key: Uint8Array,
  organisationId: string,
  endpointId: string,
  sealed: Uint8Array,
): string | undefined => openText(key, boundTo(organisationId, endpointId), sealed);

/** One signature a secret, the newest first. A receiver takes whichever its own secret makes. */
export const signedHeaders = (
  eventId: string,
  body: string,
  secrets: readonly string[],
  at: Date,
): Record<string, string> => ({
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(body)),
  'user-agent': 'Holdfast-Webhooks/1',
  'webhook-id': eventId,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(eventId, at, body)).join(' '),
});
