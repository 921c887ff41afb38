import { createHmac } from 'node:crypto';

/**
 * Stripe's scheme: `t=` and one `v1=` for each secret, so that a receiver may change its secret without a gap.
 * Several secrets are separated by commas.
 */
export function signatureHeader(payload: string, secret: string, timestampSeconds: number): string {
  const signatures = secret
    .split(',')
    .map((one) => `v1=${hmac(`${timestampSeconds}.${payload}`, one.trim())}`);
  return [`t=${timestampSeconds}`, ...signatures].join(',');
}

function hmac(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}
