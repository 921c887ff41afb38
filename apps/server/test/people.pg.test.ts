import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from './event-reader.ts';
import { openHouse, origin, type Answered, type House } from './house-rig.ts';

let house: House;
let boss: { userId: string; cookie: string };
let second: { userId: string; cookie: string };
let other = '';
beforeAll(async () => {
  house = await openHouse();
  boss = await house.person('admin', 'boss@example.test');
  second = await house.person('admin', 'second@example.test');
  other = (await house.opened.made.engine.createOrganisation('Northwind')).id;
});
afterAll(() => house.stop());

const post = (cookie: string, route: string, body: unknown): Promise<Answered> =>
  house.ask('POST', route, { cookie, body });
const roleOf = async (userId: string): Promise<unknown> =>
  (
    await house.admin`select role, removed_at is null as here from members
    where org_id = ${house.organisationId} and user_id = ${userId}`
  )[0];
const auditOf = async (subject: string): Promise<unknown[]> =>
  (
    await house.admin`select type, actor_id from organisation_audit where subject = ${subject} order by sequence`
  ).map((row) => [row['type'], row['actor_id']] as unknown);
const tokenIn = ({ body }: Answered): string => String(body['link']).split('#')[1] ?? '';
const accept = (token: string, more: { password?: string; cookie?: string } = {}): Promise<Answered> =>
  house.ask('POST', '/v1/invitation/accept', {
    headers: { origin },
    ...(more.cookie === undefined ? {} : { cookie: more.cookie }),
    body: { token, ...(more.password === undefined ? {} : { password: more.password }) },
  });

describe('a role', () => {
  // Red when: `rightsChanged` is not rung, identify keeps what it read, or the stream compares nothing but the person.
  it('that is changed counts from the next request on, and the stream that was open ends', async () => {
    const ann = await house.person('operator', 'ann@example.test');
    const stream = readEvents(
      (await house.app.request(`${origin}/v1/feed`, { headers: { cookie: ann.cookie } })).body,
    );
    await stream.until('live');
    expect((await house.ask('GET', '/metrics', { cookie: ann.cookie })).status).toBe(200);
    const asked = { personId: ann.userId, role: 'agent', was: 'operator' };
    expect((await post(boss.cookie, '/v1/people/role', asked)).body).toMatchObject({ role: 'agent' });
    await house.order('after-the-change');
    expect(await stream.next()).toBeUndefined();
    expect((await house.ask('GET', '/metrics', { cookie: ann.cookie })).status).toBe(403);
    expect(await auditOf(`member ${ann.userId}`)).toEqual([
      // The rig adds people as the command line does.
      ['member-added', 'command-line'],
      ['role-changed', boss.userId],
    ]);
    // Whoever still sees the role before is told, and changes nothing.
    const late = await post(second.cookie, '/v1/people/role', { ...asked, role: 'approver' });
    expect(late.body).toMatchObject({ status: 409 });
    expect(await roleOf(ann.userId)).toEqual({ role: 'agent', here: true });
  });

  // Red when: the one who asks is not compared with the one it is about.
  it('is nobody’s own to change, nor may anybody remove themselves', async () => {
    const own = { personId: boss.userId };
    expect((await post(boss.cookie, '/v1/people/role', { ...own, role: 'agent', was: 'admin' })).status).toBe(
      403,
    );
    expect((await post(boss.cookie, '/v1/people/remove', own)).status).toBe(403);
    expect(await roleOf(boss.userId)).toEqual({ role: 'admin', here: true });
  });

  // Red when: the admins' rows are not locked, or whether the asker still is an admin is not judged under that lock.
  it('of two admins who demote each other at once is taken from one alone: an admin is always left', async () => {
    const demote = (by: typeof boss, about: typeof boss) =>
      post(by.cookie, '/v1/people/role', { personId: about.userId, role: 'agent', was: 'admin' });
    const answers = await Promise.all([demote(boss, second), demote(second, boss)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    const left = await house.admin`select user_id from members
      where org_id = ${house.organisationId} and role = 'admin' and removed_at is null`;
    expect(left).toHaveLength(1);
    await house.admin`update members set role = 'admin' where user_id in (${boss.userId}, ${second.userId})`;
  });
});

describe('somebody who is removed', () => {
  // Red when: the row is deleted, or keys of who left still work.
  it('may do nothing here any more, nor may their keys; the row stays, and they can be taken back', async () => {
    const cy = await house.person('agent', 'cy@example.test');
    const key = await house.key('agent', cy);
    expect((await house.ask('GET', '/v1/me', { key })).status).toBe(200);
    await post(boss.cookie, '/v1/people/remove', { personId: cy.userId });
    expect((await house.ask('GET', '/v1/orders', { cookie: cy.cookie })).status).toBe(401);
    expect((await house.ask('GET', '/v1/me', { key })).status).toBe(401);
    expect(await roleOf(cy.userId)).toEqual({ role: 'agent', here: false });
    await post(boss.cookie, '/v1/people/take-back', { personId: cy.userId });
    expect((await house.ask('GET', '/v1/orders', { cookie: cy.cookie })).status).toBe(200);
    expect(await auditOf(`member ${cy.userId}`)).toEqual([
      ['member-added', 'command-line'],
      ['member-removed', boss.userId],
      ['member-added', boss.userId],
    ]);
  });

  it('of another organisation cannot be reached from here', async () => {
    const far = await house.person('agent', 'far@example.test', other);
    expect((await post(boss.cookie, '/v1/people/remove', { personId: far.userId })).status).toBe(404);
    expect((await house.ask('GET', '/v1/people', { cookie: boss.cookie })).body).not.toMatchObject({
      people: expect.arrayContaining([expect.objectContaining({ id: far.userId })]) as unknown,
    });
  });
});

describe('an invitation', () => {
  const invite = (email: string, role = 'agent') =>
    post(boss.cookie, '/v1/people/invite', { email, name: 'Dee Field', role });

  // Red when: the link's token is stored as it is, or the same link works twice.
  it('is accepted once with a password chosen then, and leaves no person before', async () => {
    const made = await invite('DEE@example.test', 'approver');
    expect(made.body).toMatchObject({ mailed: false, invitation: { email: 'dee@example.test' } });
    const token = tokenIn(made);
    const stored = await house.admin`select * from invitations`;
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(await house.admin`select from sign_in."user" where email = 'dee@example.test'`).toHaveLength(0);
    const told = await house.ask('POST', '/v1/invitation', { body: { token } });
    expect(told.body).toMatchObject({
      organisation: 'Default organisation',
      role: 'approver',
      needs: 'password',
    });
    expect((await accept(token, { password: 'short' })).status).toBe(422);
    expect((await accept(token, { password: 'a password for dee' })).status).toBe(200);
    expect((await accept(token, { password: 'another password' })).status).toBe(422);
    const body = { email: 'dee@example.test', password: 'a password for dee' };
    const signedIn = await house.ask('POST', '/api/auth/sign-in/email', { body, headers: { origin } });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    expect((await house.ask('GET', '/v1/me', { cookie })).body).toMatchObject({ role: 'approver' });
    const [dee] = await house.admin`select user_id as id from members where email = 'dee@example.test'`;
    const [added] = await house.admin`select data ->> 'role' as role from organisation_audit
      where subject = ${`member ${String(dee?.['id'])}`} and type = 'member-added' and actor_id = ${String(dee?.['id'])}`;
    expect(added).toEqual({ role: 'approver' });
    expect((await invite('dee@example.test')).body).toMatchObject({ issues: [{ path: 'email' }] });
  });

  // Red when: a link alone sets a known person's password or takes them in: an admin elsewhere, who is shown the link,
  // would come into every organisation that person belongs to.
  it('to somebody who has an account is accepted by them alone, signed in, and leaves their password as it is', async () => {
    const eve = await house.person('agent', 'eve@example.test', other);
    const token = tokenIn(await invite('eve@example.test'));
    expect((await house.ask('POST', '/v1/invitation', { body: { token } })).body).toMatchObject({
      needs: 'sign-in',
    });
    expect((await accept(token, { password: 'chosen by a stranger' })).status).toBe(401);
    expect((await accept(token, { cookie: boss.cookie })).status).toBe(401);
    expect(await roleOf(eve.userId)).toBeUndefined();
    const unchanged = { email: 'eve@example.test', password: 'a password for tests' };
    expect(
      (await house.ask('POST', '/api/auth/sign-in/email', { body: unchanged, headers: { origin } })).status,
    ).toBe(200);
    expect((await accept(token, { cookie: eve.cookie })).status).toBe(200);
    expect((await house.ask('GET', '/v1/me', { cookie: eve.cookie })).body).toMatchObject({
      subject: `${eve.userId}@${house.organisationId}`,
      organisation: { id: house.organisationId },
    });
  });

  // Red when: an accept from a foreign page goes through by the cookie the browser adds.
  it('is not accepted by a page of somebody else’s', async () => {
    const fay = await house.person('agent', 'fay@example.test', other);
    const token = tokenIn(await invite('fay@example.test'));
    const forged = { cookie: fay.cookie, headers: { origin: 'https://evil.test' }, body: { token } };
    expect((await house.ask('POST', '/v1/invitation/accept', forged)).status).toBe(403);
    expect(await roleOf(fay.userId)).toBeUndefined();
  });

  // Red when: sending again keeps the old link alive, or a withdrawn or run-out one is still taken.
  it('that is sent again, withdrawn or has run out has a link that works no more', async () => {
    const [first, second] = await Promise.all([invite('gus@example.test'), invite('hal@example.test')]);
    const idOf = ({ body }: Answered) => String((body['invitation'] as { id: string }).id);
    expect((await invite('gus@example.test')).body).toMatchObject({ issues: [{ path: 'email' }] });
    const again = await post(boss.cookie, '/v1/people/invite-again', { invitationId: idOf(first) });
    const password = 'long enough a password';
    expect((await accept(tokenIn(first), { password })).status).toBe(422);
    await post(boss.cookie, '/v1/people/withdraw-invitation', { invitationId: idOf(second) });
    expect((await accept(tokenIn(second), { password })).status).toBe(422);
    await house.admin`update invitations set expires_at = now() - interval '1 second' where id = ${idOf(first)}`;
    expect((await accept(tokenIn(again), { password })).status).toBe(422);
    expect(
      await house.admin`select from members where email in ('gus@example.test', 'hal@example.test')`,
    ).toEqual([]);
    expect(await auditOf(`invitation ${idOf(second)}`)).toEqual([
      ['invitation-sent', boss.userId],
      ['invitation-withdrawn', boss.userId],
    ]);
  });
});
