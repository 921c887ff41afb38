import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../src/announce/address-rules.ts';
import { judgeEndpointAddress } from '../../src/announce/endpoint-address.ts';
import { openOutsideSender, type Resolve } from '../../src/announce/outside-sender.ts';

const inside = createServer((_request, response) => {
  asked += 1;
  response.writeHead(200).end();
});
let asked = 0;
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
  ({ port } = inside.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => inside.close(resolve)));

const sent = (url: string) => ({ url, headers: {}, body: '{}' });
const senderWith = (addresses: readonly string[], allowLoopback = false) => {
  const asks: string[] = [];
  const resolve: Resolve = (hostname) => {
    asks.push(hostname);
    return Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
  };
  const sender = openOutsideSender({ allowLoopback, resolve, nowMs: () => 0, deadlineMs: 2_000 });
  return { sender, asks };
};

describe('an address of our own network', () => {
  // Red when: a name is judged by how it looks alone, or only the first of its addresses is.
  it.each([
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['172.20.0.1'],
    ['192.168.1.1'],
    ['169.254.169.254'],
    ['100.64.0.1'],
    ['0.0.0.0'],
    ['224.0.0.1'],
    ['255.255.255.255'],
    ['::1'],
    ['::'],
    ['::ffff:127.0.0.1'],
    ['::ffff:7f00:1'],
    ['::127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['2002:7f00:1::'],
    ['2001:0:7f00:1::'],
    ['fe80::1'],
    ['fec0::1'],
    ['fd00:ec2::254'],
    ['ff02::1'],
    ['93.184.215.14', '10.0.0.1'],
    ['2606:4700::1111', '::1'],
  ])('is not reached by a public name that leads to it: %s %s', async (...addresses) => {
    const { sender, asks } = senderWith(addresses.filter((one) => one !== undefined));
    expect(await sender.send(sent('https://hooks.example.com/'))).toEqual({
      ...{ outcome: 'address-not-allowed', status: null, durationMs: 0 },
    });
    expect(asks).toEqual(['hooks.example.com']);
  });

  // Red when: the name is asked a second time for the connection, so that it may lead elsewhere by then.
  it('is not reached by a name that leads elsewhere when it is asked again: it is asked once', async () => {
    const asks: string[] = [];
    const sender = openOutsideSender({
      allowLoopback: false,
      nowMs: () => 0,
      deadlineMs: 300,
      resolve: (hostname) => {
        asks.push(hostname);
        // A public address that nothing answers at (RFC 5737 has none that counts as public).
        return Promise.resolve([{ address: asks.length === 1 ? '198.51.99.1' : '127.0.0.1', family: 4 }]);
      },
    });
    const attempted = await sender.send(sent(`https://hooks.example.com:8443/`));
    expect(attempted).toMatchObject({ status: null });
    expect(asks).toHaveLength(1);
    expect(asked).toBe(0);
  });

  // Red when: an address that is written down is not looked at, since no name is asked for it.
  it.each([
    'https://127.0.0.1:PORT/',
    'http://127.0.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.1:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://localhost:PORT/',
    'http://hooks.example.com:PORT/',
    'https://hooks.example.com:PORT/',
  ])('is not reached as %s', async (url) => {
    const { sender } = senderWith(['127.0.0.1']);
    const before = asked;
    const attempted = await sender.send(sent(url.replace('PORT', String(port))));
    expect(attempted).toMatchObject({ outcome: 'address-not-allowed' });
    expect(asked).toBe(before);
  });

  // Red when: the setting for development opens more than this machine.
  it('is reached on this machine alone where that is allowed', async () => {
    const { sender } = senderWith(['127.0.0.1'], true);
    expect(await sender.send(sent(`http://localhost:${String(port)}/`))).toMatchObject({
      outcome: 'delivered',
    });
    const within = senderWith(['10.0.0.1'], true).sender;
    expect(await within.send(sent('https://hooks.example.com/'))).toMatchObject({
      outcome: 'address-not-allowed',
    });
    expect(judgeEndpointAddress('http://10.0.0.1/', { allowLoopback: true }).ok).toBe(false);
    expect(judgeEndpointAddress('http://example.com/', { allowLoopback: true }).ok).toBe(false);
  });
});

describe('an attempt', () => {
  // Red when: what went wrong is not told apart, or a name that is not known counts as not allowed.
  it('says of a closed list what went wrong', async () => {
    const unknown = openOutsideSender({
      allowLoopback: true,
      nowMs: () => 0,
      resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
    });
    expect(await unknown.send(sent('https://hooks.example.com/'))).toMatchObject({ outcome: 'name-unknown' });
    const { sender } = senderWith(['127.0.0.1'], true);
    expect(await sender.send(sent('http://127.0.0.1:9/'))).toMatchObject({ outcome: 'unreachable' });
    // It speaks plain HTTP where TLS is asked for.
    const plain = await sender.send(sent(`https://127.0.0.1:${String(port)}/`));
    expect(plain).toMatchObject({ outcome: 'not-secure' });
  });

  it.each(['8.8.8.8', '93.184.215.14', '2606:4700::1111'])('may go to %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});
