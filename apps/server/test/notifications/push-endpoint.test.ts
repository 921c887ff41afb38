import { createServer, type Server } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../src/announce/address-rules.ts';
import { judgePushEndpoint } from '../../src/notifications/push-endpoint.ts';
import { openPushSender, pushKeysFrom } from '../../src/notifications/push-sender.ts';
import { certificate, startPushService } from './push-service.ts';

describe('an address that a browser names for its notices', () => {
  // Red when: any of these is taken, as by a check of the text instead of what it means.
  it.each([
    'http://push.example.org/a',
    'https://push.example.org:8443/a',
    'https://127.0.0.1/a',
    'https://2130706433/a',
    'https://0x7f.1/a',
    'https://[::1]/a',
    'https://[::ffff:10.0.0.1]/a',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/a',
    'https://localhost./a',
    'https://db.internal/a',
    'https://printer.local/a',
    'https://postgres/a',
    'https://user:secret@push.example.org/a',
    'https://push.example.org\\@127.0.0.1/a',
    'https://push.example.org/a b',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'not an address',
    `https://push.example.org/${'a'.repeat(2_000)}`,
  ])('%s is refused', (endpoint) => {
    expect(judgePushEndpoint(endpoint, ['https://127.0.0.1:4443'])).toMatchObject({ ok: false });
  });

  // Red when: a named service is refused, or its name lets others in beside it.
  it('of a push service is taken, and of those the installation names, whatever they look like', () => {
    for (const endpoint of [
      'https://fcm.googleapis.com/fcm/send/abc:def',
      'https://updates.push.services.mozilla.com/wpush/v2/x',
      'https://web.push.apple.com/Qx',
    ]) {
      expect(judgePushEndpoint(endpoint, [])).toEqual({ ok: true, href: endpoint });
    }
    const named = ['https://127.0.0.1:4443'];
    expect(judgePushEndpoint('https://127.0.0.1:4443/a', named)).toMatchObject({ ok: true });
    expect(judgePushEndpoint('https://127.0.0.1:4444/a', named)).toMatchObject({ ok: false });
  });

  it.each([
    ['8.8.8.8', true],
    ['2606:4700::1111', true],
    ['10.1.2.3', false],
    ['100.64.0.1', false],
    ['169.254.169.254', false],
    ['172.31.255.255', false],
    ['::1', false],
    ['::ffff:8.8.8.8', false],
    ['fd00::1', false],
    ['fe80::1', false],
    ['64:ff9b::7f00:1', false],
    ['2002:7f00:1::', false],
    ['nothing', false],
  ])('that leads to %s is public: %s', (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected);
  });
});

describe('a notice', () => {
  const keys = pushKeysFrom(new Uint8Array(32).fill(7));
  let inside: Server;
  let asked = 0;
  beforeAll(async () => {
    inside = createServer((_request, response) => {
      asked += 1;
      response.end();
    });
    inside.on('connection', () => {
      asked += 1;
    });
    inside.listen(0, '127.0.0.1');
    await once(inside, 'listening');
  });
  afterAll(() => {
    inside.close();
  });
  const content = { payload: '{}', topic: 'a', secondsToLive: 60 };

  // Red when: the rules are looked at only when a browser subscribes.
  it('never leaves for an address in our own network, also where it was taken before', async () => {
    const sender = openPushSender({ keys, contact: 'mailto:a@example.org', services: [] });
    const { port } = inside.address() as AddressInfo;
    const target = { endpoint: `https://127.0.0.1:${String(port)}/a`, publicKey: '', authSecret: '' };
    expect(await sender.send(target, content)).toMatchObject({ kind: 'answered', status: 403 });
    expect(asked).toBe(0);
    sender.close();
  });

  // Red when: a redirect is followed, or a service whose certificate nobody trusts is told.
  it('goes to nobody that its service points at, and to no service that it cannot know', async () => {
    const service = await startPushService();
    const { port } = inside.address() as AddressInfo;
    const browser = service.browser();
    browser.answer = { status: 307, headers: { location: `https://127.0.0.1:${String(port)}/` } };
    const parts = { keys, contact: 'mailto:a@example.org', services: [service.origin] };
    const target = {
      endpoint: browser.endpoint,
      publicKey: browser.keys.p256dh,
      authSecret: browser.keys.auth,
    };
    const knowing = openPushSender({ ...parts, certificate });
    expect(await knowing.send(target, content)).toMatchObject({ status: 307 });
    expect(asked).toBe(0);
    const unknowing = openPushSender(parts);
    expect(await unknowing.send(target, content)).toEqual({ kind: 'unreachable' });
    expect(browser.headers).toHaveLength(1);
    knowing.close();
    unknowing.close();
    await service.stop();
  });

  // Red when: each process, or each start, has keys of its own: every browser would have to be asked again.
  it('is signed with one key pair in every process on a database', () => {
    expect(pushKeysFrom(new Uint8Array(32).fill(7))).toEqual(keys);
    expect(pushKeysFrom(new Uint8Array(32).fill(8)).publicKey).not.toBe(keys.publicKey);
  });
});
