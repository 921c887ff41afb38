import { describe, expect, it } from 'vitest';
import { clientAddress, countedAs, noProxies, trustedProxies } from '../../src/http/client-address.ts';
import { deviceCookie } from '../../src/sign-in/device-cookie.ts';
import { signInLimits, signInTries } from '../../src/sign-in/sign-in-tries.ts';
import { appRig, as } from '../app-rig.ts';
import { engineDouble } from '../engine-double.ts';

const proxies = trustedProxies(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']) ?? noProxies;

describe('the address a request is counted by', () => {
  // Red when: the first address of X-Forwarded-For is believed, or the header is read without a trusted proxy before it.
  it.each([
    ['a stranger says whom it passes on', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['our proxy says it', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
    [
      'somebody wrote a name in front of what our proxy adds',
      '127.0.0.1',
      '6.6.6.6, 198.51.100.1',
      '198.51.100.1',
    ],
    ['two proxies of ours', '127.0.0.1', '198.51.100.1, 10.1.2.3', '198.51.100.1'],
    ['our proxy, as both families write it', '::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['a header that is no address', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['no header', '10.0.0.4', null, '10.0.0.4'],
    ['nothing but proxies', '127.0.0.1', '10.0.0.9', '10.0.0.9'],
  ])('%s', (_name, socket, header, wanted) => {
    expect(clientAddress(socket, header, proxies)).toBe(wanted);
  });

  it('is the socket’s unless a proxy is trusted, and nothing but addresses can be', () => {
    expect(clientAddress('127.0.0.1', '198.51.100.1', noProxies)).toBe('127.0.0.1');
    for (const entry of ['localhost', '10.0.0.0/33', '10.0.0.0/x', '', '*']) {
      expect(trustedProxies([entry]), entry).toBeUndefined();
    }
  });

  // Red when: each address of a /64 has a bucket of its own, so that one phone has 2^64 of them.
  it('is a whole /64 in IPv6', () => {
    expect(countedAs('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(countedAs('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64');
    expect(countedAs('::1')).toBe('0:0:0:0::/64');
    expect(countedAs('203.0.113.9')).toBe('203.0.113.9');
  });
});

const rig = (limits: { rateLimit?: number; strangers?: number; trustedProxies?: string[] }) =>
  appRig({ engine: engineDouble().engine, ...limits });

describe('requests', () => {
  // Red when: strangers are not counted, or those who are known wait because of strangers at their address.
  it('of strangers are limited by address, with the seconds to wait; who is known there goes on', async () => {
    const { ask } = rig({ strangers: 3 });
    const wrong = (from: string) => ask('GET', '/v1/me', { from });
    const answers = [await wrong('203.0.113.9'), await wrong('203.0.113.9'), await wrong('203.0.113.9')];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    const more = await wrong('203.0.113.9');
    expect(more.status).toBe(429);
    expect(Number(more.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask('GET', '/v1/demo', { from: '203.0.113.9' })).status).toBe(429);
    expect((await ask('GET', '/healthz', { from: '203.0.113.9' })).status).toBe(200);
    expect((await wrong('203.0.113.10')).status).toBe(401);
    const known = await ask('GET', '/v1/me', { from: '203.0.113.9', headers: as({ role: 'agent' }) });
    expect(known.status).toBe(200);
  });

  // Red when: signing in or out takes from the bucket that a stranger at the same address has emptied.
  it('of a stranger keep nobody at the same address from signing in or out', async () => {
    const { ask } = rig({ strangers: 1 });
    const from = '203.0.113.9';
    await ask('GET', '/v1/me', { from });
    expect((await ask('GET', '/v1/me', { from })).status).toBe(429);
    const words = { email: 'ada@example.test', password: 'not this one' };
    expect((await ask('POST', '/api/auth/sign-in/email', { from, body: words })).status).not.toBe(429);
    expect((await ask('POST', '/api/auth/sign-out', { from, body: {} })).status).not.toBe(429);
  });

  // Red when: an address is taken from X-Forwarded-For whoever wrote it.
  it('of a stranger who makes up addresses are counted by the one it comes from', async () => {
    const { ask } = rig({ strangers: 2 });
    const statuses: number[] = [];
    for (const made of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) {
      const headers = { 'x-forwarded-for': made };
      statuses.push((await ask('GET', '/v1/me', { from: '203.0.113.9', headers })).status);
    }
    expect(statuses).toEqual([401, 401, 429]);
  });

  it('of people and keys are limited each by themselves, with the seconds to wait', async () => {
    const { ask } = rig({ rateLimit: 2 });
    const by = (id: string, via: 'session' | 'owned-key') =>
      ask('GET', '/v1/me', { headers: as({ role: 'agent', id, via }) });
    const statuses = [];
    for (const _ of [1, 2, 3]) statuses.push((await by('ada', 'session')).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await by('ada', 'session')).headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await by('ada', 'owned-key')).status).toBe(200);
    expect((await by('ben', 'session')).status).toBe(200);
  });
});

describe('tries to sign in', () => {
  const device = deviceCookie(new Uint8Array(32).fill(7), true);
  const from = (address: string, cookie?: string) => ({
    address,
    headers: new Headers(cookie === undefined ? {} : { cookie }),
  });
  const cookieOf = (setCookie: string): string => setCookie.split(';')[0] ?? '';

  // Red when: tries are counted by the e-mail address alone, or a device that is known shares its bucket with strangers.
  it('by strangers, from however many addresses, never keep a person from a device they have signed in on', () => {
    const tries = signInTries(device, () => 0);
    const ada = 'ada@example.test';
    expect(tries.take(ada, from('192.0.2.1'))).toBeUndefined();
    const cookie = cookieOf(tries.succeeded(ada, from('192.0.2.1')));
    let refused = 0;
    for (let index = 0; index < 500; index += 1) {
      const address = `198.51.${String(index % 250)}.1`;
      if (tries.take(ada, from(address)) !== undefined) refused += 1;
    }
    expect(refused).toBe(500 - signInLimits.personAnywhere);
    expect(tries.take(ada, from('192.0.2.77', cookie))).toBeUndefined();
    expect(tries.take('ADA@example.test ', from('198.51.1.1', cookie))).toBeUndefined();
    expect(tries.take('ben@example.test', from('192.0.2.1'))).toBeUndefined();
  });

  // Red when: the word a device keeps is not bound to the person, or is believed without its seal.
  it('by somebody with another person’s device, or a made-up one, are a stranger’s', () => {
    const bens = cookieOf(device.remember(null, 'ben@example.test'));
    const made = `__Host-holdfast.device=${'A'.repeat(16)}.${'B'.repeat(43)}`;
    for (const cookie of [bens, made]) {
      const tries = signInTries(device, () => 0);
      const waits = Array.from({ length: 40 }, () =>
        tries.take('ada@example.test', from('192.0.2.1', cookie)),
      );
      expect(waits.filter((wait) => wait === undefined)).toHaveLength(signInLimits.personAtAddress);
    }
  });

  it('one password at many people is slowed by address, waits are said, and nothing is ever locked', () => {
    let nowMs = 0;
    const tries = signInTries(device, () => nowMs);
    const spray = () =>
      Array.from({ length: 100 }, (_, index) =>
        tries.take(`p${String(index)}@example.test`, from('192.0.2.1')),
      );
    const waits = spray();
    expect(waits.filter((wait) => wait === undefined)).toHaveLength(signInLimits.address);
    expect(waits.every((wait) => wait === undefined || wait > 0)).toBe(true);
    nowMs = 120_000;
    expect(tries.take('p0@example.test', from('192.0.2.1'))).toBeUndefined();
  });

  it('that succeed do not count, and several people of one tablet are each known on it', () => {
    const tries = signInTries(device, () => 0);
    let cookie: string | undefined;
    for (let index = 0; index < 200; index += 1) {
      const email = index % 2 === 0 ? 'ada@example.test' : 'ben@example.test';
      expect(tries.take(email, from('192.0.2.1', cookie)), String(index)).toBeUndefined();
      cookie = cookieOf(tries.succeeded(email, from('192.0.2.1', cookie)));
    }
    expect(device.knownAs(cookie ?? null, 'ada@example.test')).toBeDefined();
    expect(device.knownAs(cookie ?? null, 'ben@example.test')).toBeDefined();
    expect(cookie).not.toContain('example');
    const set = device.remember(null, 'ada@example.test');
    expect(set).toMatch(/^__Host-[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/);
  });
});
