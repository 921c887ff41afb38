import { type Refusal, unauthenticated } from './refusal.ts';

/** Any secret test key opens the door, so that tests can mint their own. Stripe takes Bearer and Basic. */
export function judgeAuthorization(header: string | undefined): Refusal | null {
  const key = readKey(header ?? '');
  if (key === '') {
    return unauthenticated(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
    );
  }
  return /^sk_test_\S+$/.test(key) ? null : unauthenticated(`Invalid API Key provided: ${hideMiddle(key)}`);
}

function readKey(header: string): string {
  const [scheme = '', credentials = ''] = header.split(' ', 2);
  if (scheme.toLowerCase() === 'bearer') return credentials;
  if (scheme.toLowerCase() !== 'basic') return '';
  return Buffer.from(credentials, 'base64').toString().split(':', 1)[0] ?? '';
}

function hideMiddle(key: string): string {
  return key.length <= 12 ? '*'.repeat(key.length) : `${key.slice(0, 8)}${'*'.repeat(8)}${key.slice(-4)}`;
}
