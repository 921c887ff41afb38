import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey } from '../src/sign-in/api-key.ts';
import { eventually } from './eventually.ts';
import { readEvents } from './event-reader.ts';
import { mintId, openHouse, origin, proposalOf, type House } from './house-rig.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.stop());

const signIn = (email: string, password: string) =>
  house.ask('POST', '/api/auth/sign-in/email', { body: { email, password }, headers: { origin } });

describe('people', () => {
  it('sign in with a session cookie that no script can read, and are who they are', async () => {
    await house.person('agent', 'ada@example.test');
    const answer = await signIn('ADA@example.test', 'a password for tests');
    expect(answer.status).toBe(200);
    const cookie = answer.headers.getSetCookie()[0] ?? '';
    expect(cookie).toMatch(/HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Lax/i);
    expect(JSON.stringify(answer.body)).not.toContain(cookie.split('=')[1]?.split('.')[0]);
    const me = await house.ask('GET', '/v1/me', { cookie: cookie.split(';')[0] ?? '' });
    expect(me.body).toMatchObject({
      name: 'The agent',
      role: 'agent',
      via: 'session',
      organisation: { id: house.organisationId, name: 'Default organisation' },
    });
  });

  it('are told the same for a wrong password and an unknown address, as a problem', async () => {
    await house.person('agent', 'known@example.test');
    const wrong = await signIn('known@example.test', 'not the password');
    const unknown = await signIn('unknown@example.test', 'not the password');
    expect(wrong.status).toBe(401);
    expect(wrong.body).toEqual(unknown.body);
    expect(wrong.headers.get('content-type')).toBe('application/problem+json');
  });

  it('cannot sign themselves up, and nothing else of the sign-in library is open', async () => {
    const body = { email: 'new@example.test', password: 'a long enough password', name: 'New' };
    for (const route of [
      'sign-up/email',
      'request-password-reset',
      'update-user',
      'delete-user',
      'list-sessions',
      'ok',
    ]) {
      const answer = await house.ask('POST', `/api/auth/${route}`, { body, headers: { origin } });
      expect(answer.status, route).toBe(404);
    }
    expect((await signIn(body.email, body.password)).status).toBe(401);
  });

  it('are slowed down when somebody guesses their password', async () => {
    await house.person('agent', 'guessed@example.test');
    const tries = await Promise.all(
      Array.from({ length: 24 }, () => signIn('guessed@example.test', 'wrong')),
    );
    expect(tries.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    expect((await signIn('somebody-else@example.test', 'wrong')).status).toBe(401);
  });

  // Red when: the session is taken from a cookie cache instead of the database.
  it('sign out at once: the cookie is worth nothing and the open feed ends', async () => {
    const { cookie } = await house.person('operator', 'out@example.test');
    const response = await house.app.request(`${origin}/v1/feed`, { headers: { cookie } });
    const events = readEvents(response.body);
    await events.until('live');
    expect((await house.ask('POST', '/api/auth/sign-out', { cookie, body: {} })).status).toBe(200);
    expect(await events.next()).toBeUndefined();
    expect((await house.ask('GET', '/v1/me', { cookie })).status).toBe(401);
  });

  // Red when: the library's answer alone is passed on: it says success whatever the database did, and the cookie goes.
  it('are not told that they are signed out while the database cannot be reached and their session lives', async () => {
    const { cookie } = await house.person('agent', 'stays@example.test');
    house.way.cut();
    const answer = await house.ask('POST', '/api/auth/sign-out', { cookie, body: {} });
    house.way.restore();
    expect(answer.status).toBe(503);
    expect(answer.body).not.toHaveProperty('success');
    expect(answer.headers.get('set-cookie')).toBeNull();
    const [{ count } = { count: 0 }] = await house.admin<{ count: number }[]>`
      select count(*)::int as count from sign_in.session join sign_in."user" on "user".id = session."userId"
      where email = 'stays@example.test'`;
    expect(count).toBe(1);

    await eventually('the sign-out is taken', async () => {
      const again = await house.ask('POST', '/api/auth/sign-out', { cookie, body: {} });
      return again.status === 200 && again.body['success'] === true;
    });
    expect((await house.ask('GET', '/v1/me', { cookie })).status).toBe(401);
  });

  it('whose role or membership is taken away lose it with the next request', async () => {
    const { cookie, userId } = await house.person('approver', 'changed@example.test');
    const route = `/v1/operations/${mintId()}/approve`;
    const body = { commandId: mintId(), fingerprint: 'a'.repeat(64) };
    expect((await house.ask('POST', route, { cookie, body })).status).toBe(404);
    await house.admin`update members set role = 'agent' where user_id = ${userId}`;
    expect((await house.ask('POST', route, { cookie, body })).status).toBe(403);
    await house.admin`update members set removed_at = now() where user_id = ${userId}`;
    expect((await house.ask('POST', route, { cookie, body })).status).toBe(401);
  });

  it('choose their password once with the link they were given', async () => {
    const { people, store } = house.opened;
    const { userId, token = '' } = await people.invite('invited@example.test', 'Ines');
    await store.addMember(house.organisationId, {
      userId,
      role: 'agent',
      name: 'Ines',
      email: 'invited@example.test',
    });
    const rows = await house.admin`select identifier from sign_in.verification`;
    expect(JSON.stringify(rows)).not.toContain(token);
    const choose = (password: string) => house.ask('POST', '/v1/set-password', { body: { token, password } });
    expect((await choose('short')).status).toBe(422);
    expect((await choose('long enough for anybody')).status).toBe(200);
    expect((await choose('somebody else is late')).status).toBe(422);
    expect((await signIn('invited@example.test', 'long enough for anybody')).status).toBe(200);
  });
});

describe('keys', () => {
  it('are kept as a hash alone, and a revoked one is a stranger', async () => {
    const key = await house.key('agent');
    expect(key).toMatch(/^hf_[\w-]{43}$/);
    const rows = await house.admin`select * from api_keys where hash = ${hashApiKey(key)}`;
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(key);
    expect((await house.ask('GET', '/v1/me', { key })).status).toBe(200);
    await house.admin`update api_keys set revoked_at = now() where hash = ${hashApiKey(key)}`;
    expect((await house.ask('GET', '/v1/me', { key })).status).toBe(401);
    expect((await house.ask('GET', '/v1/me', { key: `hf_${'A'.repeat(43)}` })).status).toBe(401);
  });

  it('with an owner act for the owner, who then may not approve what the key proposed', async () => {
    const owner = await house.person('approver', 'owner@example.test');
    const key = await house.key('agent', owner);
    const me = await house.ask('GET', '/v1/me', { key });
    expect(me.body).toMatchObject({ subject: owner.userId, role: 'agent', via: 'owned-key' });
    await house.order('owned');
    const id = mintId();
    const proposed = await house.ask('PUT', `/v1/operations/${id}`, { key, body: proposalOf('owned') });
    const body = { commandId: mintId(), fingerprint: proposed.body['fingerprint'] };
    expect(
      (await house.ask('POST', `/v1/operations/${id}/approve`, { cookie: owner.cookie, body })).status,
    ).toBe(403);
    await house.admin`update members set removed_at = now() where user_id = ${owner.userId}`;
    expect((await house.ask('GET', '/v1/me', { key })).status).toBe(401);
  });

  it('see their own organisation alone', async () => {
    const key = await house.key('operator');
    const { id: elsewhere } = await house.opened.made.engine.createOrganisation('Elsewhere');
    const { store } = house.opened;
    const stranger = 'hf_'.padEnd(46, 'z');
    await store.addKey(elsewhere, {
      id: 'k',
      hash: hashApiKey(stranger),
      role: 'operator',
      name: 'x',
      ownerUserId: null,
      assistant: false,
    });
    await house.order('ours');
    expect((await house.ask('GET', '/v1/orders/ours', { key })).status).toBe(200);
    expect((await house.ask('GET', '/v1/orders/ours', { key: stranger })).status).toBe(404);
    expect((await house.ask('GET', '/v1/orders', { key: stranger })).body['items']).toEqual([]);
  });
});
