import { createDecipheriv, createECDH, createHmac, randomBytes, verify, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** Of this loopback service alone, and trusted by its tests alone. */
const privateKey = [
  '-----BEGIN PRIVATE KEY-----',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggNvBSwrOGQ+ACZXj',
  'cDRP248RC6KDsZNG3RRSrS/Av9GhRANCAARfJ2xH+cud8KHilfavhyuYde2WMSdT',
  'ebQXImNSnVglxDH6YRaVN/2n1X8TPeKbXgCOFiwD/fHcxt7k8gOO7Kw7',
  '-----END PRIVATE KEY-----',
].join('\n');
export const certificate = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBuDCCAV+gAwIBAgIUUarrpWRU853hhhxq5a93mDQdAfIwCgYIKoZIzj0EAwIw',
  'IzEhMB8GA1UEAwwYYSBwdXNoIHNlcnZpY2UgZm9yIHRlc3RzMCAXDTI2MTEzMDA4',
  'MzkyN1oYDzIxMjYxMTA2MDgzOTI3WjAjMSEwHwYDVQQDDBhhIHB1c2ggc2Vydmlj',
  'ZSBmb3IgdGVzdHMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARfJ2xH+cud8KHi',
  'lfavhyuYde2WMSdTebQXImNSnVglxDH6YRaVN/2n1X8TPeKbXgCOFiwD/fHcxt7k',
  '8gOO7Kw7o28wbTAdBgNVHQ4EFgQUqPa4zFGhGJn31s/ftgeqcVv0CXMwHwYDVR0j',
  'BBgwFoAUqPa4zFGhGJn31s/ftgeqcVv0CXMwDwYDVR0TAQH/BAUwAwEB/zAaBgNV',
  'HREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZIzj0EAwIDRwAwRAIgOqMw1fdC',
  'hTOyu0/0pgdslJW/RlfbKHI91RXLEzqSnJUCIHZTEUFHB+PEVscM2RJDJLyTiutU',
  'LJWziB7TbEs9rsHU',
  '-----END CERTIFICATE-----',
].join('\n');

/** A browser that subscribed: it alone can read what is sent to it. */
export type FakeBrowser = {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** What reached it, decrypted, oldest first. */
  readonly notices: readonly { readonly body: string; readonly title: string; readonly tag: string }[];
  readonly headers: readonly Readonly<Record<string, string | string[] | undefined>>[];
  /** What the service answers for it from now on. */
  answer: { readonly status: number; readonly headers?: Readonly<Record<string, string>> };
};

export type FakePushService = {
  readonly origin: string;
  readonly browser: () => FakeBrowser;
  readonly stop: () => Promise<void>;
};

const hmac = (key: Uint8Array, ...parts: readonly (Uint8Array | string)[]): Buffer => {
  const made = createHmac('sha256', key);
  for (const part of parts) made.update(part);
  return made.digest();
};
const one = Buffer.from([1]);

/** RFC 8291 and RFC 8188, as a browser does it: written from the specifications, not with the sender's library. */
const decrypt = (body: Buffer, curve: ReturnType<typeof createECDH>, auth: Buffer): string => {
  const salt = body.subarray(0, 16);
  const keyLength = body[20] ?? 0;
  const sender = body.subarray(21, 21 + keyLength);
  const sealed = body.subarray(21 + keyLength);
  const shared = hmac(auth, curve.computeSecret(sender));
  const keyed = hmac(shared, 'WebPush: info\0', curve.getPublicKey(), sender, one);
  const random = hmac(salt, keyed);
  const key = hmac(random, 'Content-Encoding: aes128gcm\0', one).subarray(0, 16);
  const nonce = hmac(random, 'Content-Encoding: nonce\0', one).subarray(0, 12);
  const cipher = createDecipheriv('aes-128-gcm', key, nonce);
  cipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
  return plain.subarray(0, plain.lastIndexOf(2)).toString('utf8');
};

/** Whether a request is signed for this service with the key that its browsers subscribed with (RFC 8292). */
export const isSignedFor = (header: unknown, audience: string, publicKey: string): boolean => {
  const [, token = '', key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(String(header)) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(publicKey, 'base64url');
  const jwk = {
    ...{ kty: 'EC', crv: 'P-256' },
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  const said = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { aud?: string };
  return isSigned && key === publicKey && said.aud === audience;
};

export const startPushService = async (): Promise<FakePushService> => {
  const takers = new Map<
    string,
    (body: Buffer, headers: FakeBrowser['headers'][number]) => FakeBrowser['answer']
  >();
  const server = createServer({ key: privateKey, cert: certificate }, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const answer = takers.get(request.url ?? '')?.(Buffer.concat(parts), request.headers) ?? {
        status: 404,
      };
      response.writeHead(answer.status, answer.headers).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const browser = (): FakeBrowser => {
    const curve = createECDH('prime256v1');
    curve.generateKeys();
    const auth = randomBytes(16);
    const path = `/push/${randomBytes(12).toString('hex')}`;
    const notices: FakeBrowser['notices'][number][] = [];
    const headers: FakeBrowser['headers'][number][] = [];
    const made: FakeBrowser = {
      endpoint: `${origin}${path}`,
      keys: { p256dh: curve.getPublicKey('base64url'), auth: auth.toString('base64url') },
      ...{ notices, headers, answer: { status: 201 } },
    };
    takers.set(path, (body, head) => {
      headers.push(head);
      if (made.answer.status === 201) {
        notices.push(JSON.parse(decrypt(body, curve, auth)) as FakeBrowser['notices'][number]);
      }
      return made.answer;
    });
    return made;
  };
  return {
    origin,
    browser,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
};
