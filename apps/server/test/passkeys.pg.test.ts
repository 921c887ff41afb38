import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAuthenticator, type Answering, type Authenticator } from './authenticator.ts';
import { readEvents } from './event-reader.ts';
import { openHouse, origin, type Answered, type House } from './house-rig.ts';

const from = 'refunds@example.test';
let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.stop());

type Person = { userId: string; cookie: string };
const ask = (person: Person, method: string, route: string, body: unknown = {}): Promise<Answered> =>
  house.ask(method, route, { cookie: person.cookie, ...(method === 'GET' ? {} : { body }) });

const challengeIn = ({ body }: Answered): string => (body['options'] as { challenge: string }).challenge;

const register = async (person: Person, key: Authenticator, changed: Partial<Answering> = {}) => {
  const options = await ask(person, 'POST', '/v1/me/passkeys/options');
  if (options.status !== 200) return options;
  const credential = key.create({ challenge: challengeIn(options), origin, ...changed });
  return ask(person, 'POST', '/v1/me/passkeys', { name: 'Tablet', credential });
};

const signInChallenge = async (): Promise<string> =>
  challengeIn(await house.ask('POST', '/v1/passkey-sign-in/options', { body: {}, headers: { origin } }));

const present = (credential: unknown, cookie?: string): Promise<Answered> =>
  house.ask('POST', '/v1/passkey-sign-in', {
    body: { credential },
    headers: { origin, ...(cookie === undefined ? {} : { cookie }) },
  });

const signIn = async (key: Authenticator, changed: Partial<Answering> = {}): Promise<Answered> =>
  present(key.get({ challenge: await signInChallenge(), origin, ...changed }));

const cookieIn = ({ headers }: Answered): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

const withPasskey = async (email: string) => {
  const person = await house.person('approver', email);
  const key = makeAuthenticator();
  const registered = await register(person, key);
  expect(registered.status).toBe(200);
  return { person, key, passkeyId: registered.body['id'] as string };
};

const acts = async (userId: string): Promise<string[]> =>
  (
    await house.admin<{ type: string }[]>`select type from organisation_audit
      where subject = ${`person ${userId}`} order by sequence`
  ).map(({ type }) => type);

const age = (userId: string, minutes: number) =>
  house.admin`update sign_in.session set proved_at = now() - make_interval(mins => ${minutes})
    where "userId" = ${userId}`;

describe('a passkey', () => {
  // Red when: the session is opened for somebody else than the key's person, or without a session token of its own.
  it('signs in the person who registered it, asking for no address, and both are audited', async () => {
    const { person, key } = await withPasskey('first@example.test');
    const answer = await signIn(key, {});
    expect(answer.status).toBe(200);
    const me = await house.ask('GET', '/v1/me', { cookie: cookieIn(answer) });
    expect(me.body).toMatchObject({ role: 'approver', via: 'session' });
    const security = await house.ask('GET', '/v1/me/security', { cookie: cookieIn(answer) });
    expect(security.body['passkeys']).toMatchObject([{ name: 'Tablet', revokedAt: null }]);
    expect(security.body['sessions']).toHaveLength(2);
    expect(await acts(person.userId)).toEqual(['signed-in', 'passkey-added', 'signed-in']);
    const [row] = await house.admin`select counter, origin, rp_id from sign_in.passkey
      where credential_id = ${key.credentialId}`;
    expect(row).toEqual({ counter: '2', origin, rp_id: 'localhost' });
  });

  // Red when: user verification, the origin, the name, or the challenge's purpose or seal is not looked at.
  it('opens nothing without its person, from elsewhere, for another name, or with a challenge that is not for it', async () => {
    const { person, key } = await withPasskey('strict@example.test');
    const forConfirming = challengeIn(await ask(person, 'POST', '/v1/me/confirm/options'));
    const other = Buffer.from(await signInChallenge(), 'base64url');
    other[7] = (other[7] ?? 0) ^ 1;
    const wrong: Partial<Answering>[] = [
      { verified: false },
      { origin: 'https://elsewhere.example' },
      { rpId: 'elsewhere.example' },
      { challenge: forConfirming },
      { challenge: other.toString('base64url') },
    ];
    for (const changed of wrong) {
      const answer = await signIn(key, changed);
      expect(answer.status, JSON.stringify(changed)).toBe(401);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect((await signIn(makeAuthenticator())).status).toBe(401);
    expect((await signIn(key)).status).toBe(200);
  });

  // Red when: a challenge is not used up by the first answer to it.
  it('answers a challenge once: the same answer again opens nothing', async () => {
    const { key } = await withPasskey('once@example.test');
    const credential = key.get({ challenge: await signInChallenge(), origin });
    const answers = await Promise.all([present(credential), present(credential)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await present(credential)).status).toBe(401);
  });

  // Red when: a counter that went back is refused without a trace, or let in.
  it('whose counter went back is refused and noticed; one that never counts is let in', async () => {
    const { person, key } = await withPasskey('copied@example.test');
    expect((await signIn(key, { counter: 9 })).status).toBe(200);
    const copied = await signIn(key, { counter: 9 });
    expect(copied.status).toBe(401);
    expect(copied.body['detail']).toContain('copy');
    expect((await signIn(key, { counter: 0 })).status).toBe(401);
    expect((await acts(person.userId)).filter((act) => act === 'passkey-refused')).toHaveLength(2);
    const security = await ask(person, 'GET', '/v1/me/security');
    expect(security.body['passkeys']).toMatchObject([{ counterWentBackAt: expect.any(String) as string }]);
    const still = await house.person('agent', 'still@example.test');
    const quiet = makeAuthenticator(false);
    expect((await register(still, quiet)).status).toBe(200);
    expect((await signIn(quiet)).status).toBe(200);
    expect((await signIn(quiet)).status).toBe(200);
  });
});

describe('registering', () => {
  // Red when: the challenge is not bound to the session that asked for it.
  it('takes only the answer to what this very session asked for, and once', async () => {
    const ann = await house.person('agent', 'ann-registers@example.test');
    const bob = await house.person('agent', 'bob-registers@example.test');
    const challenge = challengeIn(await ask(ann, 'POST', '/v1/me/passkeys/options'));
    const credential = makeAuthenticator().create({ challenge, origin });
    const body = { name: 'Phone', credential };
    expect((await ask(bob, 'POST', '/v1/me/passkeys', body)).status).toBe(422);
    const unverified = makeAuthenticator().create({ challenge, origin, verified: false });
    expect((await ask(ann, 'POST', '/v1/me/passkeys', { ...body, credential: unverified })).status).toBe(422);
    expect((await ask(ann, 'POST', '/v1/me/passkeys', body)).status).toBe(200);
    const rows =
      await house.admin`select user_id from sign_in.passkey where user_id in (${ann.userId}, ${bob.userId})`;
    expect(rows).toEqual([{ user_id: ann.userId }]);
  });

  // Red when: a stale session, or a password alone, is enough for a second passkey.
  it('a first one asks for a fresh sign-in, a further one for a passkey, and after the last is lost for two admins', async () => {
    const person = await house.person('approver', 'several@example.test');
    await age(person.userId, 11);
    const stale = await register(person, makeAuthenticator());
    expect([stale.status, stale.body['needs']]).toEqual([403, 'confirm']);
    expect((await ask(person, 'POST', '/v1/me/confirm', { password: 'not it' })).status).toBe(422);
    expect((await ask(person, 'POST', '/v1/me/confirm', { password: 'a password for tests' })).status).toBe(
      200,
    );
    const key = makeAuthenticator();
    const first = await register(person, key);
    expect(first.status).toBe(200);

    const second = await register(person, makeAuthenticator());
    expect([second.status, second.body['needs']]).toEqual([403, 'confirm-with-passkey']);
    const challenge = challengeIn(await ask(person, 'POST', '/v1/me/confirm/options'));
    const credential = key.get({ challenge, origin });
    expect((await ask(person, 'POST', '/v1/me/confirm', { credential })).status).toBe(200);
    expect((await ask(person, 'POST', '/v1/me/confirm', { credential })).status).toBe(422);
    const third = makeAuthenticator();
    const registered = await register(person, third);
    expect(registered.status).toBe(200);

    for (const { body } of [first, registered]) {
      expect((await ask(person, 'POST', `/v1/me/passkeys/${String(body['id'])}/revoke`)).status).toBe(200);
    }
    const lost = await register(person, makeAuthenticator());
    expect([lost.status, lost.body['needs']]).toEqual([403, 'recovery-needed']);
  });

  // Red when: two registrations at once both count as the first.
  it('two first ones at once are one', async () => {
    const person = await house.person('agent', 'twice@example.test');
    const bodies = await Promise.all(
      [1, 2].map(async () => ({
        name: 'Phone',
        credential: makeAuthenticator().create({
          challenge: challengeIn(await ask(person, 'POST', '/v1/me/passkeys/options')),
          origin,
        }),
      })),
    );
    const answers = await Promise.all(bodies.map((body) => ask(person, 'POST', '/v1/me/passkeys', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  it('is for people: no key registers, confirms or reads them', async () => {
    const owner = await house.person('agent', 'key-owner@example.test');
    const key = await house.key('agent', owner);
    for (const [method, route] of [
      ['GET', '/v1/me/security'],
      ['POST', '/v1/me/passkeys/options'],
      ['POST', '/v1/me/confirm'],
      ['POST', '/v1/me/end-other-sessions'],
    ] as const) {
      const answer = await house.ask(method, route, { key, ...(method === 'GET' ? {} : { body: {} }) });
      expect(answer.status, route).toBe(403);
    }
  });
});

describe('revoking', () => {
  // Red when: the row is deleted, the key still signs in, or the sessions that it opened live on.
  it('keeps the public key, ends what the passkey opened, and lets nobody in with it any more', async () => {
    const { person, key, passkeyId } = await withPasskey('lost@example.test');
    const thief = cookieIn(await signIn(key));
    const response = await house.app.request(`${origin}/v1/feed`, { headers: { cookie: thief } });
    const events = readEvents(response.body);
    await events.until('live');
    await age(person.userId, 11);
    const stale = await ask(person, 'POST', `/v1/me/passkeys/${passkeyId}/revoke`);
    expect([stale.status, stale.body['needs']]).toEqual([403, 'confirm']);
    await ask(person, 'POST', '/v1/me/confirm', { password: 'a password for tests' });
    expect((await ask(person, 'POST', `/v1/me/passkeys/${passkeyId}/revoke`)).status).toBe(200);
    expect(await events.next()).toBeUndefined();
    expect((await house.ask('GET', '/v1/me', { cookie: thief })).status).toBe(401);
    expect((await ask(person, 'GET', '/v1/me')).status).toBe(200);
    expect((await signIn(key)).status).toBe(401);
    expect(await house.opened.made.passkeys.byCredentialId(key.credentialId)).toMatchObject({
      userId: person.userId,
      revokedBy: person.userId,
    });
    expect(await acts(person.userId)).toContain('passkey-revoked');
  });

  it("of somebody else's passkey is refused as one that is not there", async () => {
    const { passkeyId, key } = await withPasskey('mine@example.test');
    const other = await house.person('admin', 'other-admin@example.test');
    expect((await ask(other, 'POST', `/v1/me/passkeys/${passkeyId}/revoke`)).status).toBe(404);
    expect((await ask(other, 'PUT', `/v1/me/passkeys/${passkeyId}`, { name: 'Mine now' })).status).toBe(404);
    expect((await signIn(key)).status).toBe(200);
  });
});

// Red when: passkeys are offered where no browser makes any.
it('where PUBLIC_ORIGIN is an address of numbers passkeys are said not to be possible, and why', async () => {
  const numbers = await openHouse({
    PUBLIC_ORIGIN: 'http://127.0.0.1:4780',
    HOLDFAST_MAIL_FROM: from,
    HOLDFAST_SMTP_URL: 'smtp://127.0.0.1:9',
  });
  try {
    const ways = await numbers.ask('GET', '/v1/sign-in-ways');
    expect(ways.body['passkeys']).toMatchObject({ possible: false, because: 'address-is-a-number' });
    const options = await numbers.ask('POST', '/v1/passkey-sign-in/options', { body: {} });
    expect(options.status).toBe(422);
    expect(options.body['detail']).toContain('PUBLIC_ORIGIN');
  } finally {
    await numbers.stop();
  }
});
