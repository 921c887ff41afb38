import { createHmac, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type Answered, type House } from './house-rig.ts';

let house: House;
let operator: string;
beforeAll(async () => {
  house = await openHouse();
  operator = await house.key('operator');
});
afterAll(() => house.stop());

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
const hmac = (payload: string, secret: string, atSeconds: number): string =>
  createHmac('sha256', secret)
    .update(`${String(atSeconds)}.${payload}`)
    .digest('hex');
/** One header with a signature by each of the secrets, as a provider sends it while a secret is rotated. */
const signedBy = (payload: string, secrets: readonly string[], atSeconds = nowSeconds()): string =>
  [`t=${String(atSeconds)}`, ...secrets.map((secret) => `v1=${hmac(payload, secret, atSeconds)}`)].join(',');

/** The secrets that the running server knows: a test adds one and takes it away, as an operator who rotates does. */
const knownSecrets = (): string[] => house.fake.access.webhookSecrets as string[];
const ownSecret = (): string => knownSecrets()[0] ?? '';

const eventId = (): string => `evt_${randomBytes(8).toString('hex')}`;
const refundEvent = (id: string, object: Record<string, unknown> = {}): string =>
  JSON.stringify({
    id,
    object: 'event',
    type: 'refund.updated',
    created: nowSeconds(),
    livemode: false,
    request: null,
    data: {
      object: {
        id: 're_x',
        object: 'refund',
        amount: 100,
        currency: 'eur',
        payment_intent: 'pi_nobodys',
        status: 'succeeded',
        created: 1,
        metadata: {},
        ...object,
      },
    },
  });

const send = (payload: string, signature: string): Promise<Answered> =>
  house.ask('POST', '/v1/webhooks/stripe', { raw: payload, headers: { 'stripe-signature': signature } });
const stored = async (id: string): Promise<Record<string, unknown>[]> =>
  house.admin`select raw, applied_as from provider_events where event_id = ${id}`;
const metric = async (name: string): Promise<number> => {
  const { body } = await house.ask('GET', '/metrics', { key: operator });
  const line = String(body['text'])
    .split('\n')
    .find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length));
};

describe('an event at the door', () => {
  // Red when: one of several signatures is read, one secret that does not fit spoils the others, or refusals are not counted.
  it('F046: while a secret is rotated either signature is enough, an unknown one is refused and counted, and the old one ends', async () => {
    const [old, fresh] = [ownSecret(), 'whsec_of_next_month'];
    knownSecrets().push(fresh);
    const refused = await metric('holdfast_webhooks_refused_total{because="bad-signature"}');
    expect(refused).toBeGreaterThanOrEqual(0);
    for (const secrets of [[old], [fresh], [fresh, old], [old, fresh], ['whsec_unknown', fresh]]) {
      const id = eventId();
      const payload = refundEvent(id);
      expect((await send(payload, signedBy(payload, secrets))).status).toBe(200);
      expect(await stored(id)).toHaveLength(1);
    }
    const id = eventId();
    const payload = refundEvent(id);
    expect((await send(payload, signedBy(payload, ['whsec_unknown']))).status).toBe(400);
    expect(await stored(id)).toEqual([]);
    knownSecrets().splice(0, knownSecrets().length, fresh);
    expect((await send(payload, signedBy(payload, [old]))).status).toBe(400);
    expect((await send(payload, signedBy(payload, [fresh]))).status).toBe(200);
    knownSecrets().splice(0, knownSecrets().length, old);
    expect(await metric('holdfast_webhooks_refused_total{because="bad-signature"}')).toBe(refused + 2);
  });

  // Red when: the timestamp's age is judged in one direction only, or the skew of an accepted event is not kept.
  it('F048: a clock that is 90 seconds off is no reason to refuse and shows in the metrics; six minutes are', async () => {
    // The account's place in the provider's listing, where its clock's skew is kept.
    await house.opened.made.worker.runOnce();
    const [ahead, far] = [eventId(), eventId()];
    const early = refundEvent(ahead);
    expect((await send(early, signedBy(early, [ownSecret()], nowSeconds() + 90))).status).toBe(200);
    const skew = await metric('holdfast_clock_skew_seconds');
    expect(skew).toBeGreaterThan(60);
    expect(skew).toBeLessThanOrEqual(90);
    const tooEarly = refundEvent(far);
    const before = await metric('holdfast_webhooks_refused_total{because="from-the-future"}');
    expect((await send(tooEarly, signedBy(tooEarly, [ownSecret()], nowSeconds() + 360))).status).toBe(400);
    expect(await metric('holdfast_webhooks_refused_total{because="from-the-future"}')).toBe(before + 1);
    expect((await stored(ahead)).length + (await stored(far)).length).toBe(1);
  });

  // Red when: it is answered before it is stored, or a database that takes no writes is called our mistake for good.
  it('F045: while the database takes no writes it is not acknowledged; delivered again, it is applied', async () => {
    const { reference } = await house.order('read-only');
    const refund = (await (
      await fetch(`${house.fake.access.apiBase}/fake/refunds`, {
        method: 'POST',
        body: JSON.stringify({ payment_intent: reference, amount: 700 }),
      })
    ).json()) as Record<string, unknown>;
    const id = eventId();
    const payload = refundEvent(id, refund);
    // What PostgreSQL says of a write while it takes none.
    await house.admin.unsafe(`
      create function takes_no_writes() returns trigger language plpgsql as $$
      begin raise exception 'cannot execute INSERT in a read-only transaction' using errcode = '25006'; end $$;
      create trigger takes_no_writes before insert on provider_events execute function takes_no_writes()`);
    const refused = await send(payload, signedBy(payload, [ownSecret()]));
    await house.admin.unsafe('drop trigger takes_no_writes on provider_events');
    expect([refused.status, refused.body['final']]).toEqual([503, false]);
    expect(await stored(id)).toEqual([]);
    expect((await send(payload, signedBy(payload, [ownSecret()]))).status).toBe(200);
    await house.opened.made.worker.runOnce();
    expect((await stored(id)).map((row) => row['applied_as'])).toEqual(['applied']);
    const order = await house.ask('GET', '/v1/orders/read-only', { key: operator });
    expect(order.body).toMatchObject({ refundedElsewhere: { minor: 700 }, refundable: { minor: 4_300 } });
  });

  // Red when: the body is parsed and written again before the check, its characters are changed, or its coding is not undone.
  it('F051: the signature is checked over the bytes as they were signed, chunked and compressed on the way', async () => {
    const server = createServer((incoming, outgoing) => {
      void getRequestListener((request) => house.app.fetch(request))(incoming, outgoing);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1/webhooks/stripe`;
    /** Spaces and escapes that no serializer would write again. */
    const bodyOf = (id: string): string =>
      refundEvent(id, { metadata: { note: 'Größe – 返金 🎁' } }).replace(
        '"livemode":false',
        '"livemode" :\tfalse',
      );
    const codings = [
      ['identity', (text: string) => Buffer.from(text)],
      ['gzip', (text: string) => gzipSync(text)],
      ['br', (text: string) => brotliCompressSync(text)],
    ] as const;
    for (const [coding, encode] of codings) {
      const id = eventId();
      const payload = bodyOf(id);
      const bytes = encode(payload);
      // A stream has no length: it leaves in chunks, cut in the middle of a character.
      const chunks = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (let from = 0; from < bytes.length; from += 7)
            controller.enqueue(bytes.subarray(from, from + 7));
          controller.close();
        },
      });
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'stripe-signature': signedBy(payload, [ownSecret()]), 'content-encoding': coding },
        body: chunks,
        duplex: 'half',
      });
      expect([coding, response.status]).toEqual([coding, 200]);
      expect((await stored(id)).map((row) => row['raw'])).toEqual([payload]);
    }
    server.close();
    server.closeAllConnections();
  });

  // Red when: what a compressed body unfolds to has no limit, or a coding that is not known is passed on as it is.
  it('F051: a body that unfolds beyond the limit, is no such coding, or is coded unknown is refused before it is checked', async () => {
    const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024, ' '));
    const ask = async (body: Uint8Array<ArrayBuffer>, coding: string): Promise<number> => {
      const headers = { 'content-encoding': coding, 'stripe-signature': signedBy('', [ownSecret()]) };
      const request = new Request('http://localhost:4780/v1/webhooks/stripe', {
        method: 'POST',
        headers,
        body,
      });
      return (await house.app.fetch(request)).status;
    };
    expect(await ask(new Uint8Array(bomb), 'gzip')).toBe(413);
    expect(await ask(new TextEncoder().encode('{}'), 'gzip')).toBe(400);
    expect(await ask(new TextEncoder().encode('{}'), 'zip')).toBe(400);
  });
});
