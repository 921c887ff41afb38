import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mountDemoFaults } from './demo-faults.ts';

let server: Server;
let origin = '';
let carriedOut: string[] = [];
let streamsClosed = 0;
let nowMs = 0;

/** A server of one answer and one stream, over real sockets. */
beforeEach(async () => {
  carriedOut = [];
  streamsClosed = 0;
  nowMs = 0;
  server = createServer((request, response) => {
    carriedOut.push(request.url ?? '');
    if (request.url === '/v1/feed') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': here\n\n');
      response.once('close', () => (streamsClosed += 1));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"done":true}');
  });
  mountDemoFaults(server, () => nowMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const ask = (path: string, fault: string | null, method = 'POST') => {
  const cookies = ['holdfast.session_token=ann', ...(fault === null ? [] : [`holdfast_demo_fault=${fault}`])];
  return fetch(`${origin}${path}`, { method, redirect: 'manual', headers: { cookie: cookies.join('; ') } });
};

describe("the demo's bad networks", () => {
  // Red when: `serveWith` lets the request in before it cuts, or cuts before it is carried out.
  test('offline carries nothing out; lost answers carries it out and cuts; without the cookie all is well', async () => {
    await expect(ask('/v1/commands', 'offline')).rejects.toThrow();
    expect(carriedOut).toEqual([]);
    await expect(ask('/v1/commands', 'lost-answers')).rejects.toThrow();
    expect(carriedOut).toEqual(['/v1/commands']);
    expect((await ask('/v1/commands', null)).status).toBe(200);
    expect((await ask('/v1/commands', 'no-such-fault')).status).toBe(200);
  });

  // Red when: a fault takes the page itself away, so that it cannot be switched off.
  test('the page and its scripts stay reachable under every fault', async () => {
    for (const fault of ['offline', 'flapping', 'lost-answers', 'portal', 'expired', 'slow']) {
      nowMs = 2_000;
      expect(await (await ask('/assets/app.js', fault, 'GET')).json(), fault).toEqual({ done: true });
    }
  });

  // Red when: the portal's answer could pass for ours, or an expired session locks the sign-in, too.
  test('the portal answers with a page or a redirect, an ended session with 401, and signing in goes on', async () => {
    const page = await ask('/v1/me', 'portal', 'GET');
    expect([page.status, await page.text()]).toMatchObject([200, expect.stringContaining('Hotel Wi-Fi')]);
    expect((await ask('/v1/commands', 'portal')).status).toBe(302);
    const ended = await ask('/v1/me', 'expired', 'GET');
    expect([ended.status, await ended.json()]).toMatchObject([
      401,
      { status: 401, type: /unauthenticated$/ },
    ]);
    expect(carriedOut).toEqual([]);
    expect((await ask('/api/auth/sign-in/email', 'expired')).status).toBe(200);
  });

  // Red when: flapping does not follow the clock.
  test('flapping is up for two seconds and down for two', async () => {
    const isUp = () =>
      ask('/v1/me', 'flapping', 'GET').then(
        () => true,
        () => false,
      );
    const seen: boolean[] = [];
    for (nowMs of [0, 1_999, 2_000, 3_999, 4_000]) seen.push(await isUp());
    expect(seen).toEqual([true, true, false, false, true]);
  });

  // Red when: a stream that was open before the fault lives on through it.
  test('a fault cuts the stream that this browser had open', async () => {
    const feed = await ask('/v1/feed', null, 'GET');
    const reading = feed.text();
    await expect(ask('/v1/me', 'offline', 'GET')).rejects.toThrow();
    await expect(reading).rejects.toThrow();
    expect(streamsClosed).toBe(1);
  });
});
