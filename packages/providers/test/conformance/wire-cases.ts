import { expect } from 'vitest';
import { answer, startRawServer } from '../raw-server.ts';
import { eur, patientMs, type ConformanceCase } from './provider-under-test.ts';

/** Answers that no provider of ours has written, whatever they say. */
const foreignBodies = [
  ...['', '{}', '[]', 'null', '17', '"refused"', '<html><body>502</body></html>', '{"half": '],
  ...[
    '{"message":"not refundable"}',
    '{"error":"already refunded"}',
    '{"error":{"message":"greater than unrefunded"}}',
  ],
];
const statuses = [
  ...[
    200, 201, 202, 204, 206, 300, 301, 302, 307, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 413,
  ],
  ...[415, 418, 421, 422, 423, 425, 429, 431, 451, 500, 501, 502, 503, 504, 507, 520, 529, 599],
];

export const wireCases: readonly ConformanceCase[] = [
  {
    // Red when: a status alone, or the words of a message, prove that something was or was not done.
    name: 'whatever status carries an answer that is not the provider’s own: unknown, and no conclusion from any question',
    run: async ({ provider, refundOf, encode }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      let next = { status: 200, body: '' };
      const server = await startRawServer((socket) => socket.end(answer(next.status, next.body)));
      try {
        const adapter = provider.adapterAt(server.base);
        const seen: string[] = [];
        for (const status of statuses) {
          for (const body of foreignBodies) {
            next = { status, body };
            const deadlineMs = Date.now() + patientMs;
            const { finding } = await adapter.submit(encode(request), request, deadlineMs);
            if (finding.kind !== 'unknown') seen.push(`${String(status)} ${body}: ${finding.kind}`);
          }
          const asked = await adapter.askAboutPayment(request.paymentReference, Date.now() + patientMs);
          if (asked.kind !== 'no-answer' || asked.ourKeyRefused || asked.paymentNotFound === true)
            seen.push(`${String(status)} asked: ${JSON.stringify(asked)}`);
        }
        expect(seen).toEqual([]);
      } finally {
        await server.close();
      }
    },
  },
  {
    // Red when: an adapter sends again by itself, or follows a redirect with the money.
    name: 'one call is one request, whatever is answered: no retry, no redirect',
    run: async ({ provider, refundOf, encode }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      for (const status of [307, 429, 500, 503]) {
        const server = await startRawServer((socket) =>
          socket.end(answer(status, '{}', { Location: `${server.base}/elsewhere`, 'Retry-After': '0' })),
        );
        try {
          await provider.adapterAt(server.base).submit(encode(request), request, Date.now() + patientMs);
          expect(server.requests).toHaveLength(1);
        } finally {
          await server.close();
        }
      }
    },
  },
  {
    name: 'nobody listens there: proved not sent',
    run: async ({ provider, refundOf, encode }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const server = await startRawServer(() => undefined);
      await server.close();
      const adapter = provider.adapterAt(server.base);
      const { finding } = await adapter.submit(encode(request), request, Date.now() + patientMs);
      expect(finding.kind).toBe('not-sent');
    },
  },
  {
    name: 'a deadline that has passed: proved not sent, and nothing was',
    run: async ({ provider, refundOf, encode }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const { finding } = await provider.adapter.submit(encode(request), request, Date.now() - 1);
      expect(finding.kind).toBe('not-sent');
      expect(await provider.submissions(request)).toBe(0);
    },
  },
  {
    name: 'bytes of another operation are not sent',
    run: async ({ provider, refundOf, encode }) => {
      const payment = await provider.pay(eur(10_000));
      const [one, other] = [refundOf(payment, eur(2_500)), refundOf(payment, eur(2_500))];
      const { finding } = await provider.adapter.submit(encode(one), other, Date.now() + patientMs);
      expect(finding.kind).toBe('not-sent');
      expect(await provider.books(payment)).toHaveLength(0);
    },
  },
];
