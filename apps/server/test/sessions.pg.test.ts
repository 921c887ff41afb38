import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from './event-reader.ts';
import { openHouse, origin, type Answered, type House } from './house-rig.ts';
import { startMailCatcher, type MailCatcher } from './mail-catcher.ts';

let house: House;
let catcher: MailCatcher;
beforeAll(async () => {
  catcher = await startMailCatcher();
  house = await openHouse({ HOLDFAST_SMTP_URL: catcher.url, HOLDFAST_MAIL_FROM: 'refunds@example.test' });
});
afterAll(async () => {
  await house.stop();
  await catcher.stop();
});

const password = 'a password for tests';
const cookieIn = ({ headers }: Answered): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

const signIn = (email: string, secret = password, headers: Record<string, string> = {}) =>
  house.ask('POST', '/api/auth/sign-in/email', {
    body: { email, password: secret },
    headers: { origin, ...headers },
  });
const isIn = async (cookie: string): Promise<boolean> =>
  (await house.ask('GET', '/v1/me', { cookie })).status === 200;
const linkIn = (text: string): string => /token=([\w%-]+)/.exec(text)?.[1] ?? '';
const acts = async (userId: string): Promise<string[]> =>
  (
    await house.admin<{ type: string }[]>`select type from organisation_audit
      where subject = ${`person ${userId}`} order by sequence`
  ).map(({ type }) => type);

describe('sessions', () => {
  // Red when: a sign-in goes on with the token that the request came with, or leaves the old session alive.
  it('get a new token at each sign-in: a planted or forgotten cookie opens nothing afterwards', async () => {
    const { cookie: planted } = await house.person('agent', 'fixed@example.test');
    await house.person('agent', 'victim@example.test');
    const answer = await signIn('victim@example.test', password, { cookie: planted });
    const cookie = cookieIn(answer);
    expect(cookie).not.toBe(planted);
    expect(await isIn(planted)).toBe(false);
    expect(await isIn(cookie)).toBe(true);
    const made = 'holdfast.session_token=chosen-by-a-stranger.signature';
    const again = cookieIn(await signIn('victim@example.test', password, { cookie: made }));
    expect(again).not.toContain('chosen-by-a-stranger');
    expect(await isIn(again)).toBe(true);
  });

  // Red when: another person's session can be ended by its ID, or an ended session's feed goes on.
  it('are listed by device with the own one marked, and each can be ended, its open feed at once', async () => {
    const person = await house.person('approver', 'listed@example.test');
    const agent = 'Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Safari/604.1';
    const tablet = cookieIn(await signIn('listed@example.test', password, { 'user-agent': agent }));
    const listed = await house.ask('GET', '/v1/me/security', { cookie: person.cookie });
    const sessions = listed.body['sessions'] as { id: string; device: string; current: boolean }[];
    expect(sessions.map(({ device, current }) => [device, current]).toSorted()).toEqual([
      ['', true],
      ['Safari, iPad', false],
    ]);
    const other = sessions.find(({ current }) => !current)?.id ?? '';
    const stranger = await house.person('admin', 'stranger@example.test');
    const end = (cookie: string) => house.ask('POST', `/v1/me/sessions/${other}/end`, { cookie, body: {} });
    expect((await end(stranger.cookie)).status).toBe(404);
    expect(await isIn(tablet)).toBe(true);
    const response = await house.app.request(`${origin}/v1/feed`, { headers: { cookie: tablet } });
    const events = readEvents(response.body);
    await events.until('live');
    expect((await end(person.cookie)).status).toBe(200);
    expect(await events.next()).toBeUndefined();
    expect(await isIn(tablet)).toBe(false);
    expect(await isIn(person.cookie)).toBe(true);
    expect(await acts(person.userId)).toContain('session-revoked');
  });

  // Red when: the own session ends too, or one elsewhere lives on.
  it('elsewhere all end when the person signs out everywhere else', async () => {
    const person = await house.person('agent', 'everywhere@example.test');
    const others = [
      cookieIn(await signIn('everywhere@example.test')),
      cookieIn(await signIn('everywhere@example.test')),
    ];
    const answer = await house.ask('POST', '/v1/me/end-other-sessions', { cookie: person.cookie, body: {} });
    expect(answer.body).toEqual({ ended: 2 });
    expect(await Promise.all([person.cookie, ...others].map(isIn))).toEqual([true, false, false]);
  });
});

// Red when: the prefix or an attribute that it needs is missing: the browser would refuse the cookie, or take a weaker one.
it('over HTTPS the cookie is taken from this very host alone', async () => {
  const secure = await openHouse({ PUBLIC_ORIGIN: 'https://refunds.example.test' });
  try {
    await secure.person('agent', 'https@example.test');
    const answer = await secure.ask('POST', '/api/auth/sign-in/email', {
      body: { email: 'https@example.test', password },
      headers: { origin: 'https://refunds.example.test', host: 'refunds.example.test' },
    });
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-holdfast\.session_token=/);
    expect(cookie).toMatch(/; Path=\/(;|$)/);
    for (const attribute of ['Secure', 'HttpOnly', 'SameSite=Lax']) expect(cookie).toContain(attribute);
    expect(cookie).not.toMatch(/Domain=/i);
    const me = await secure.ask('GET', '/v1/me', {
      headers: { cookie: cookieIn(answer), host: 'refunds.example.test' },
    });
    expect(me.status).toBe(200);
  } finally {
    await secure.stop();
  }
});

describe('a forgotten password', () => {
  const ask = (email: string) =>
    house.ask('POST', '/v1/password-reset', { body: { email }, headers: { origin } });

  // Red when: the answer, or whether there is one before the look-up, depends on who is known here.
  it('is asked for with the same answer for everybody, and only who is known gets a letter', async () => {
    await house.person('agent', 'known@example.test');
    const unknown = await ask('nobody-at-all@example.test');
    const known = await ask('Known@example.test');
    expect(unknown.status).toBe(200);
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
    const letter = await catcher.next('known@example.test');
    expect(letter.text).toContain(`${origin}/set-password?token=`);
    expect(catcher.letters.flatMap(({ to }) => to)).not.toContain('nobody-at-all@example.test');
  });

  // Red when: a link works twice, a later one leaves an earlier one alive, or sessions outlive the new password.
  it('is chosen anew once, with the link of the letter; every session and every other link ends', async () => {
    const { userId, cookie } = await house.person('agent', 'forgot@example.test');
    await ask('forgot@example.test');
    const first = linkIn((await catcher.next('forgot@example.test')).text);
    await ask('forgot@example.test');
    const second = linkIn((await catcher.next('forgot@example.test')).text);
    expect(first).not.toBe(second);
    const choose = (token: string, chosen: string) =>
      house.ask('POST', '/v1/set-password', { body: { token, password: chosen }, headers: { origin } });
    expect((await choose(second, 'short')).status).toBe(422);
    expect((await choose(second, 'a whole new password')).status).toBe(200);
    expect(await isIn(cookie)).toBe(false);
    expect((await signIn('forgot@example.test')).status).toBe(401);
    expect((await signIn('forgot@example.test', 'a whole new password')).status).toBe(200);
    expect((await choose(second, 'yet another password')).status).toBe(422);
    expect((await choose(first, 'yet another password')).status).toBe(422);
    expect(await acts(userId)).toEqual(
      expect.arrayContaining(['password-reset-asked', 'password-set']) as unknown,
    );
  });

  // Red when: a link lives longer than it says.
  it('is not chosen with a link that is older than an hour', async () => {
    const { userId } = await house.person('agent', 'late@example.test');
    await ask('late@example.test');
    const token = linkIn((await catcher.next('late@example.test')).text);
    const [row] = await house.admin<{ left: number }[]>`
      select extract(epoch from "expiresAt" - now())::int as left from sign_in.verification where value = ${userId}`;
    expect(row?.left).toBeLessThanOrEqual(3_600);
    await house.admin`update sign_in.verification set "expiresAt" = now() - interval '1 second' where value = ${userId}`;
    const late = await house.ask('POST', '/v1/set-password', {
      body: { token, password: 'a whole new password' },
      headers: { origin },
    });
    expect(late.status).toBe(422);
    expect((await signIn('late@example.test')).status).toBe(200);
  });

  // Red when: a stranger can have somebody's mailbox filled, or is told that it is full.
  it('is mailed three times an hour at most, without a word about it', async () => {
    await house.person('agent', 'often@example.test');
    await house.person('agent', 'after@example.test');
    for (let times = 0; times < 6; times += 1) expect((await ask('often@example.test')).status).toBe(200);
    await ask('after@example.test');
    await catcher.next('after@example.test');
    expect(catcher.letters.filter(({ to }) => to.includes('often@example.test'))).toHaveLength(3);
  });
});

// Red when: a password is changed without asking who is there, or sessions elsewhere live on.
it('a password is changed after a fresh confirmation; sessions elsewhere end, and the person is told', async () => {
  const email = 'changes@example.test';
  const person = await house.person('operator', email);
  const elsewhere = cookieIn(await signIn(email));
  await house.admin`update sign_in.session set proved_at = now() - interval '11 minutes' where "userId" = ${person.userId}`;
  const change = () =>
    house.ask('POST', '/v1/me/password', {
      cookie: person.cookie,
      body: { password: 'a much better password' },
    });
  const stale = await change();
  expect([stale.status, stale.body['needs']]).toEqual([403, 'confirm']);
  await house.ask('POST', '/v1/me/confirm', { cookie: person.cookie, body: { password } });
  expect((await change()).status).toBe(200);
  expect([await isIn(person.cookie), await isIn(elsewhere)]).toEqual([true, false]);
  expect((await signIn(email)).status).toBe(401);
  expect((await signIn(email, 'a much better password')).status).toBe(200);
  expect((await catcher.next(email)).text).toContain('Your password was changed');
});

// Red when: the link of the first admin opens nothing.
it('the first admin signs in with the password they chose by the link of their invitation', async () => {
  const { people, store } = house.opened;
  const { userId, token } = await people.invite('first-admin@example.test', 'First');
  const member = { userId, role: 'admin' as const, name: 'First', email: 'first-admin@example.test' };
  await store.addMember(house.organisationId, member);
  const chosen = await house.ask('POST', '/v1/set-password', {
    body: { token, password: 'chosen by the first admin' },
    headers: { origin },
  });
  expect(chosen.status).toBe(200);
  const cookie = cookieIn(await signIn('first-admin@example.test', 'chosen by the first admin'));
  expect((await house.ask('GET', '/v1/me', { cookie })).body).toMatchObject({ role: 'admin' });
});
