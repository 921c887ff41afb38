import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import type { AttemptReport } from '@holdfast/providers';
import { createStripeAdapter } from '../src/stripe/stripe.ts';
import { selfSigned } from './self-signed.ts';
import { refundRequest, stripeRefund } from './stripe-objects.ts';

const known = getCACertificates('default');
let server: Server | undefined;
let received = 0;

afterEach(async () => {
  setDefaultCACertificates(known);
  const closing = server;
  if (closing) await new Promise((resolve) => closing.close(resolve));
});

const submit = async (host: string, certificate = selfSigned()): Promise<AttemptReport> => {
  received = 0;
  const listening = createServer(certificate, (request, response) => {
    received += 1;
    request.resume().on('end', () => response.end(JSON.stringify(stripeRefund())));
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  const adapter = createStripeAdapter({
    secretKey: 'sk_test_x',
    apiBase: `https://${host}:${port}`,
    nowMs: Date.now,
  });
  const encoded = adapter.encodeRefund(refundRequest());
  if (!encoded.ok) throw new Error(encoded.because);
  return adapter.submit(encoded.request, refundRequest(), Date.now() + 5_000);
};

test('over TLS to a server whose certificate is trusted', async () => {
  const certificate = selfSigned();
  setDefaultCACertificates([...known, certificate.cert]);
  expect((await submit('localhost', certificate)).finding.kind).toBe('accepted');
});

// Red when: certificates are not checked.
test('a certificate that nobody vouches for: nothing leaves', async () => {
  expect((await submit('localhost')).finding).toEqual({
    kind: 'not-sent',
    because: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  });
  expect(received).toBe(0);
});

test('a trusted certificate for another name: nothing leaves', async () => {
  const certificate = selfSigned();
  setDefaultCACertificates([...known, certificate.cert]);
  expect((await submit('127.0.0.1', certificate)).finding.kind).toBe('not-sent');
  expect(received).toBe(0);
});
