import { approvalChallengeText, type ApprovalStatement } from '@holdfast/operation';
import type { ChainFault } from '@holdfast/engine';
import { verifyAudit, verifySignatures } from '@holdfast/engine/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recheckProof } from '../src/sign-in/check-assertion.ts';
import { makeAuthenticator, type Authenticator } from './authenticator.ts';
import { readEvents } from './event-reader.ts';
import { mintId, openHouse, origin, proposalOf, type Answered, type House } from './house-rig.ts';
import { startMailCatcher, type MailCatcher } from './mail-catcher.ts';

type Person = { readonly userId: string; readonly cookie: string; readonly email: string };

let house: House;
let catcher: MailCatcher;
let ann: Person;
let ben: Person;
let counter = 0;
const person = async (role: 'agent' | 'approver' | 'admin', email: string): Promise<Person> => ({
  ...(await house.person(role, email)),
  email,
});
beforeAll(async () => {
  catcher = await startMailCatcher();
  house = await openHouse({ HOLDFAST_SMTP_URL: catcher.url, HOLDFAST_MAIL_FROM: 'refunds@example.test' });
  ann = await person('admin', 'ann@example.test');
  ben = await person('admin', 'ben@example.test');
});
afterAll(async () => {
  await house.stop();
  await catcher.stop();
});
beforeEach(() => {
  counter += 1;
  catcher.refuseAll(false);
});

const post = (by: Pick<Person, 'cookie'>, route: string, body: unknown = {}): Promise<Answered> =>
  house.ask('POST', route, { cookie: by.cookie, body });
const start = (by: Person, about: Person): Promise<Answered> =>
  post(by, `/v1/people/${about.userId}/recovery`, { reason: 'lost the tablet' });
const agree = (by: Person, { body }: Answered): Promise<Answered> =>
  post(by, `/v1/recoveries/${String(body['id'])}/agree`);
const lost = (role: 'agent' | 'approver' = 'approver') =>
  person(role, `lost-${String(counter)}@example.test`);

const challengeIn = ({ body }: Answered): string => (body['options'] as { challenge: string }).challenge;
const register = async (by: Pick<Person, 'cookie'>, key: Authenticator): Promise<Answered> => {
  const options = await post(by, '/v1/me/passkeys/options');
  if (options.status !== 200) return options;
  const credential = key.create({ challenge: challengeIn(options), origin });
  return post(by, '/v1/me/passkeys', { name: 'Tablet', credential });
};
const passkeySignIn = async (key: Authenticator): Promise<number> => {
  const options = await house.ask('POST', '/v1/passkey-sign-in/options', { body: {}, headers: { origin } });
  const credential = key.get({ challenge: challengeIn(options), origin });
  const answer = await house.ask('POST', '/v1/passkey-sign-in', {
    body: { credential },
    headers: { origin },
  });
  return answer.status;
};
const signIn = (email: string, password = 'a password for tests'): Promise<Answered> =>
  house.ask('POST', '/api/auth/sign-in/email', { body: { email, password }, headers: { origin } });
const cookieIn = ({ headers }: Answered): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
const choose = (token: string, password: string): Promise<Answered> =>
  house.ask('POST', '/v1/set-password', { body: { token, password }, headers: { origin } });
const tokenIn = (text: string): string => decodeURIComponent(/token=([\w%-]+)/.exec(text)?.[1] ?? '');
/** Waits for a letter that says this; which of two comes first does not matter. */
const letterTo = async (email: string, about: string): Promise<string> => {
  const found = catcher.letters.find(({ to, text }) => to.includes(email) && text.includes(about));
  if (found !== undefined) return found.text;
  await catcher.next(email);
  return letterTo(email, about);
};
const acts = async ({ userId }: Person): Promise<(string | null)[][]> =>
  (
    await house.admin<{ type: string; actor_id: string | null }[]>`select type, actor_id
      from organisation_audit where subject = ${`person ${userId}`} and type like 'recovery-%' order by sequence`
  ).map(({ type, actor_id }) => [type, actor_id]);
const signInOf = async ({ userId }: Person) => {
  const [row] = await house.admin<
    { sessions: number; live: number; kept: number; passwords: number; links: number }[]
  >`
    select (select count(*)::int from sign_in.session where "userId" = ${userId}) as sessions,
      (select count(*)::int from sign_in.passkey where user_id = ${userId} and revoked_at is null) as live,
      (select count(*)::int from sign_in.passkey where user_id = ${userId}) as kept,
      (select count(*)::int from sign_in.account where "userId" = ${userId} and password is not null) as passwords,
      (select count(*)::int from sign_in.verification where value = ${userId}) as links`;
  return row;
};

describe('a recovery', () => {
  // Red when: any of passkeys, password, sessions or earlier links outlives the second word, or something is taken
  // away at the first.
  it('takes away, at the second admin’s word, all that opened the sign-in, and begins anew by a letter', async () => {
    const cy = await lost();
    const key = makeAuthenticator();
    expect((await register(cy, key)).status).toBe(200);
    const early = await house.opened.people.resetToken(cy.email);
    const stream = readEvents(
      (await house.app.request(`${origin}/v1/feed`, { headers: { cookie: cy.cookie } })).body,
    );
    await stream.until('live');
    const started = await start(ann, cy);
    expect(started.status).toBe(201);
    for (const { email } of [cy, ben, ann]) await letterTo(email, 'recovery of a sign-in was asked for');
    expect((await house.ask('GET', '/v1/me', { cookie: cy.cookie })).status).toBe(200);
    const listed = await house.ask('GET', '/v1/people', { cookie: ben.cookie });
    expect(listed.body['recoveries']).toMatchObject([{ id: started.body['id'], personId: cy.userId }]);

    const agreed = await agree(ben, started);
    expect([agreed.status, agreed.body]).toMatchObject([200, { mailed: true, link: null }]);
    expect(await stream.next()).toBeUndefined();
    expect(await signInOf(cy)).toEqual({ sessions: 0, live: 0, kept: 1, passwords: 0, links: 1 });
    expect((await house.ask('GET', '/v1/me', { cookie: cy.cookie })).status).toBe(401);
    expect((await signIn(cy.email)).status).toBe(401);
    expect(await passkeySignIn(key)).toBe(401);
    expect((await choose(early?.token ?? '', 'a thief chose this')).status).toBe(422);
    for (const { email } of [cy, ben, ann]) await letterTo(email, 'a sign-in was recovered');

    const token = tokenIn(await letterTo(cy.email, 'set-password?token='));
    expect((await choose(token, 'a whole new password')).status).toBe(200);
    expect((await choose(token, 'yet another password')).status).toBe(422);
    for (const { email } of [cy, ben, ann]) await letterTo(email, 'a recovered sign-in is in use');
    const anew = await signIn(cy.email, 'a whole new password');
    expect(anew.status).toBe(200);
    expect((await register({ cookie: cookieIn(anew) }, makeAuthenticator())).status).toBe(200);
    expect(await acts(cy)).toEqual([
      ['recovery-asked', ann.userId],
      ['recovery-approved', ben.userId],
      ['recovery-used', cy.userId],
    ]);
  });

  // Red when: who gives the second word is not compared with who gave the first, in the program or in the database.
  it('is never agreed to by who asked for it, nor by a key, nor by the person', async () => {
    const cy = await lost();
    const started = await start(ann, cy);
    expect((await agree(ann, started)).status).toBe(403);
    expect((await agree(cy, started)).status).toBe(403);
    const route = `/v1/recoveries/${String(started.body['id'])}/agree`;
    const key = await house.key('admin', ben);
    expect((await house.ask('POST', route, { key, body: {} })).status).toBe(403);
    const away = house.admin`update recoveries set ended_as = 'agreed', ended_at = now(), ended_by = started_by,
      link_hash = 'x', link_until = now() where person = ${cy.userId}`;
    await expect(away).rejects.toMatchObject({ code: '23514' });
    expect(await signInOf(cy)).toMatchObject({ sessions: 1, passwords: 1, links: 0 });
    expect(await acts(cy)).toEqual([['recovery-asked', ann.userId]]);
  });

  it('is asked for by an admin alone, about somebody else', async () => {
    const cy = await lost('agent');
    expect((await start(cy, ben)).status).toBe(403);
    expect((await start(ann, ann)).status).toBe(403);
    expect((await post(ann, `/v1/people/${cy.userId}/recovery`, { reason: ' ' })).body).toMatchObject({
      status: 422,
      issues: [{ path: 'reason' }],
    });
    expect(
      await house.admin`select from recoveries where person in (${cy.userId}, ${ann.userId}, ${ben.userId})`,
    ).toHaveLength(0);
  });

  // Red when: the row is not read again under the lock: each of the two would make a link.
  it('that two admins agree to at once is one, with one link', async () => {
    const cy = await lost();
    const dee = await person('admin', `dee-${String(counter)}@example.test`);
    catcher.refuseAll(true);
    const started = await start(ann, cy);
    const answers = await Promise.all([agree(ben, started), agree(dee, started)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await signInOf(cy))?.links).toBe(1);
    expect(answers.filter(({ body }) => typeof body['link'] === 'string')).toHaveLength(1);
    expect((await acts(cy)).map(([type]) => type)).toEqual(['recovery-asked', 'recovery-approved']);
    await house.admin`update members set role = 'agent' where user_id = ${dee.userId}`;
  });

  // Red when: the link is lost where no letter carries it, or told again.
  it('tells its link once to the second admin where no letter leaves', async () => {
    const cy = await lost();
    catcher.refuseAll(true);
    const agreed = await agree(ben, await start(ann, cy));
    const link = String(agreed.body['link']);
    expect(agreed.body).toMatchObject({ mailed: false });
    expect(link.startsWith(`${origin}/set-password?token=`)).toBe(true);
    const kept = await house.admin`select * from recoveries where person = ${cy.userId}`;
    const verification = await house.admin`select * from sign_in.verification where value = ${cy.userId}`;
    expect(JSON.stringify([kept, verification])).not.toContain(tokenIn(link));
    expect((await choose(tokenIn(link), 'a whole new password')).status).toBe(200);
  });

  // Red when: the link, or a recovery that waits, lives for ever.
  it('ends by itself after 7 days, its link after 24 hours', async () => {
    const cy = await lost();
    const first = await start(ann, cy);
    await house.admin`update recoveries set expires_at = now() where person = ${cy.userId}`;
    expect((await agree(ben, first)).status).toBe(409);
    expect(await signInOf(cy)).toMatchObject({ sessions: 1, passwords: 1 });
    expect((await agree(ben, await start(ann, cy))).status).toBe(200);
    const token = tokenIn(await letterTo(cy.email, 'set-password?token='));
    const [end] = await house.admin`select round(extract(epoch from "expiresAt" - now()) / 3600) as hours
      from sign_in.verification where value = ${cy.userId}`;
    expect(Number(end?.['hours'])).toBe(24);
    await house.admin`update sign_in.verification set "expiresAt" = now() where value = ${cy.userId}`;
    expect((await choose(token, 'a whole new password')).status).toBe(422);
  });

  // Red when: a recovery that was withdrawn can still be agreed to.
  it('that any admin withdraws does nothing any more, and that is told', async () => {
    const cy = await lost();
    const started = await start(ann, cy);
    const route = `/v1/recoveries/${String(started.body['id'])}/withdraw`;
    expect((await post(ben, route)).status).toBe(200);
    expect((await post(ben, route)).status).toBe(200);
    expect((await agree(ben, started)).status).toBe(409);
    await letterTo(cy.email, 'withdrawn');
    expect(await signInOf(cy)).toMatchObject({ sessions: 1, passwords: 1, links: 0 });
    expect(await acts(cy)).toEqual([
      ['recovery-asked', ann.userId],
      ['recovery-withdrawn', ben.userId],
    ]);
  });

  // Red when: other memberships are not looked at, at the first or at the second word, or the database does not insist.
  it('of somebody who belongs elsewhere as well is refused: two admins here must not open another organisation', async () => {
    const cy = await lost();
    const elsewhere = (await house.opened.made.engine.createOrganisation(`Other ${String(counter)}`)).id;
    const started = await start(ann, cy);
    await house.person('admin', cy.email, elsewhere);
    const refused = await agree(ben, started);
    expect([refused.status, refused.body['detail']]).toMatchObject([
      403,
      expect.stringContaining('another organisation') as unknown,
    ]);
    expect((await post(ben, `/v1/recoveries/${String(started.body['id'])}/withdraw`)).status).toBe(200);
    expect((await start(ann, cy)).status).toBe(403);
    const past = house.admin`insert into recoveries
        (org_id, id, person, reason, started_by, expires_at, ended_as, ended_at, ended_by, link_hash, link_until)
      values (${house.organisationId}, ${mintId()}, ${cy.userId}, 'x', ${ann.userId}, now(), 'agreed', now(),
        ${ben.userId}, 'x', now())`;
    await expect(past).rejects.toThrow('no other');
    expect((await signInOf(cy))?.passwords).toBe(1);
  });

  it('in one organisation is not seen from another, nor agreed to or withdrawn there', async () => {
    const cy = await lost();
    const elsewhere = (await house.opened.made.engine.createOrganisation(`Far ${String(counter)}`)).id;
    const far = {
      ...(await house.person('admin', `far-${String(counter)}@example.test`, elsewhere)),
      email: '',
    };
    const started = await start(ann, cy);
    expect((await agree(far, started)).status).toBe(404);
    expect((await post(far, `/v1/recoveries/${String(started.body['id'])}/withdraw`)).status).toBe(404);
    expect((await start(far, cy)).status).toBe(404);
    expect((await post(far, `/v1/people/${cy.userId}/sessions/end`)).status).toBe(404);
    expect((await house.ask('GET', '/v1/people', { cookie: far.cookie })).body['recoveries']).toEqual([]);
    expect(await signInOf(cy)).toMatchObject({ sessions: 1, passwords: 1 });
  });
});

const statementOf = (userId: string, operationId: string, fingerprint: string): ApprovalStatement => ({
  organisationId: house.organisationId,
  approverId: userId,
  operationId,
  fingerprint,
  seen: { refundable: { minor: 5_000, currency: 'EUR' }, orderVersion: 1 },
  commandId: mintId(),
  signedAt: new Date().toISOString(),
  expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
});
/** Proposes a refund, and approves it with a passkey. */
const approveSigned = async (
  by: Pick<Person, 'userId' | 'cookie'>,
  key: Authenticator,
): Promise<Answered> => {
  const orderId = mintId();
  await house.order(orderId);
  const agent = await house.key('agent');
  const id = mintId();
  const proposed = await house.ask('PUT', `/v1/operations/${id}`, { key: agent, body: proposalOf(orderId) });
  const statement = statementOf(by.userId, id, String(proposed.body['fingerprint']));
  const { commandId, fingerprint, seen, signedAt, expiresAt } = statement;
  const signed = key.get({ challenge: approvalChallengeText(statement), origin });
  const assertion = {
    credentialId: key.credentialId,
    ...(signed as { response: object }).response,
    signedAt,
    expiresAt,
  };
  return house.ask('POST', `/v1/operations/${id}/approve`, {
    cookie: by.cookie,
    headers: { 'holdfast-protocol': '2' },
    body: { commandId, fingerprint, seen, assertion },
  });
};

// Red when: a recovery deletes passkeys, or what signed before does not verify from the database alone any more.
it('what a revoked passkey signed before a recovery verifies afterwards, and what it signs later does not count', async () => {
  const cy = await lost();
  const key = makeAuthenticator();
  await register(cy, key);
  const before = await approveSigned(cy, key);
  expect([before.status, before.body['approvals']]).toMatchObject([200, [{ signed: true }]]);
  await agree(ben, await start(ann, cy));
  const token = tokenIn(await letterTo(cy.email, 'set-password?token='));
  expect((await choose(token, 'a whole new password')).status).toBe(200);
  const cookie = cookieIn(await signIn(cy.email, 'a whole new password'));
  const after = await approveSigned({ userId: cy.userId, cookie }, key);
  expect(after.status).toBe(422);
  const found: ChainFault[] = [];
  const { inOrganisation } = house.opened.made;
  await verifyAudit(inOrganisation, house.organisationId, (fault) => found.push(fault));
  await verifySignatures(inOrganisation, house.organisationId, recheckProof, (fault) => found.push(fault));
  expect(found).toEqual([]);
  const signatures =
    await house.admin`select from approval_signatures where credential_id = ${key.credentialId}`;
  expect(signatures).toHaveLength(1);
});

// Red when: the session is not asked for again under the lock that a recovery takes.
it('a session that a recovery ended registers no passkey, though its request came before', async () => {
  const cy = await lost();
  const options = await post(cy, '/v1/me/passkeys/options');
  const credential = makeAuthenticator().create({ challenge: challengeIn(options), origin });
  const [session] = await house.admin`select id from sign_in.session where "userId" = ${cy.userId}`;
  const parts = house.opened.made.inOrganisation;
  await agree(ben, await start(ann, cy));
  expect((await post(cy, '/v1/me/passkeys', { name: 'Thief', credential })).status).toBe(401);
  const lives = await parts(house.organisationId, (tx) =>
    tx.ask('select session_lives($1) as lives', [String(session?.['id'])]),
  );
  expect(lives).toEqual([{ lives: false }]);
  expect((await signInOf(cy))?.live).toBe(0);
});

// Red when: another person's session lives on, a feed goes on, or the admin's own sessions can be ended by this.
it('an admin ends somebody’s sessions, feeds at once; the person is told and signs in again', async () => {
  const cy = await lost();
  const stream = readEvents(
    (await house.app.request(`${origin}/v1/feed`, { headers: { cookie: cy.cookie } })).body,
  );
  await stream.until('live');
  const route = `/v1/people/${cy.userId}/sessions/end`;
  expect((await post(cy, route)).status).toBe(403);
  expect((await post(ann, route)).body).toEqual({ ended: 1 });
  expect(await stream.next()).toBeUndefined();
  expect((await house.ask('GET', '/v1/me', { cookie: cy.cookie })).status).toBe(401);
  await letterTo(cy.email, 'your sessions were ended');
  expect((await signIn(cy.email)).status).toBe(200);
  expect((await post(ann, `/v1/people/${ann.userId}/sessions/end`)).status).toBe(403);
  expect((await post(ann, '/v1/people/nobody/sessions/end')).status).toBe(404);
  const [entry] = await house.admin`select actor_id, data ->> 'ended' as ended from organisation_audit
    where subject = ${`person ${cy.userId}`} and type = 'sessions-revoked'`;
  expect(entry).toEqual({ actor_id: ann.userId, ended: '1' });
});
