import { commandResultsSchema } from '@holdfast/operation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from './event-reader.ts';
import { mintId, openHouse, origin, proposalOf, type Answered, type House } from './house-rig.ts';

let house: House;
let other = '';
beforeAll(async () => {
  house = await openHouse();
  other = (await house.opened.made.engine.createOrganisation('Northwind')).id;
});
afterAll(() => house.stop());

let count = 0;
const inBoth = async (role: 'agent' | 'operator' = 'agent') => {
  count += 1;
  const email = `both-${String(count)}@example.test`;
  await house.person(role, email);
  const { userId, cookie } = await house.person(role, email, other);
  return { userId, cookie, subjectThere: `${userId}@${other}` };
};
const switchTo = (cookie: string, organisationId: string): Promise<Answered> =>
  house.ask('POST', '/v1/me/organisation', { cookie, body: { organisationId } });
const subjectOf = async (cookie: string): Promise<unknown> =>
  (await house.ask('GET', '/v1/me', { cookie })).body['subject'];
const send = async (cookie: string, subject: string, orderId: string) => {
  const id = mintId();
  const command = { ...proposalOf(orderId), type: 'propose', commandId: id, operationId: id, subject };
  const answer = await house.ask('POST', '/v1/commands', { cookie, body: { commands: [command] } });
  const [result] = commandResultsSchema.parse(answer.body).results;
  return { id, result };
};
const organisationsWith = async (id: string): Promise<unknown[]> =>
  (await house.admin`select org_id from operations where id = ${id}`).map((row) => row['org_id'] as unknown);

describe('a person in two organisations', () => {
  it('is told both, and works under a subject of its own in each', async () => {
    const { userId, cookie, subjectThere } = await inBoth();
    const me = await house.ask('GET', '/v1/me', { cookie });
    expect(me.body).toMatchObject({
      subject: userId,
      organisation: { id: house.organisationId },
      organisations: [
        { id: house.organisationId, role: 'agent', subject: userId },
        { id: other, name: 'Northwind', role: 'agent', subject: subjectThere },
      ],
    });
    const switched = await switchTo(cookie, other);
    expect(switched.body).toMatchObject({ subject: subjectThere, organisation: { id: other } });
    expect((await house.ask('GET', '/v1/me', { cookie })).body).toEqual(switched.body);
  });

  // Red when: a command's subject is compared with the person's ID instead of the session's subject, at the route and in
  // the engine.
  it('never has what was queued under one organisation carried out under the other', async () => {
    const { userId, cookie, subjectThere } = await inBoth();
    await house.order('ours');
    await switchTo(cookie, other);
    const late = await send(cookie, userId, 'ours');
    expect(late.result).toMatchObject({ status: 'rejected', problem: { status: 403, final: false } });
    expect(late.result?.problem?.type).toMatch(/wrong-subject$/);
    expect(late.result?.problem?.detail).toContain('another organisation');
    expect(await organisationsWith(late.id)).toEqual([]);
    await switchTo(cookie, house.organisationId);
    const tooEarly = await send(cookie, subjectThere, 'ours');
    expect(tooEarly.result?.problem?.type).toMatch(/wrong-subject$/);
    const own = await send(cookie, userId, 'ours');
    expect(own.result?.status).toBe('applied');
    expect(await organisationsWith(own.id)).toEqual([house.organisationId]);
  });

  // Red when: the header is not compared, so that a page which shows one organisation changes another.
  it('is stopped where a page still means the other organisation', async () => {
    const { userId, cookie, subjectThere } = await inBoth();
    await switchTo(cookie, other);
    const asked = (subject: string) =>
      house.ask('GET', '/v1/orders', { cookie, headers: { 'holdfast-subject': subject } });
    expect((await asked(userId)).body).toMatchObject({ status: 403, final: false });
    expect((await asked(subjectThere)).status).toBe(200);
  });

  // Red when: the choice is kept in this process instead of the database, or for the person instead of the session.
  it('chooses for one session: another one stays where it is, and a new one begins where the last choice was', async () => {
    const { userId, cookie, subjectThere } = await inBoth();
    const email = `both-${String(count)}@example.test`;
    const signIn = async () => {
      const body = { email, password: 'a password for tests' };
      const answer = await house.ask('POST', '/api/auth/sign-in/email', { body, headers: { origin } });
      return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    };
    const second = await signIn();
    await switchTo(cookie, other);
    expect(await subjectOf(second)).toBe(userId);
    expect(await subjectOf(await signIn())).toBe(subjectThere);
  });

  // Red when: a switch does not make open streams look, or the stream compares the actor alone.
  it('has the stream of the organisation that was left ended, and is shown nothing of it', async () => {
    const { cookie } = await inBoth('operator');
    await house.order('seen-here');
    const open = async () =>
      readEvents((await house.app.request(`${origin}/v1/feed`, { headers: { cookie } })).body);
    const before = await open();
    expect(JSON.stringify(await before.until('live'))).toContain('seen-here');
    await switchTo(cookie, other);
    await house.order('not-told-any-more');
    expect(await before.next()).toBeUndefined();
    const after = await open();
    expect((await after.until('live')).map(({ event }) => event)).toEqual(['live']);
    await after.cancel();
  });

  // Red when: a session whose organisation was left keeps its subject, or is locked out of those that remain.
  it('goes on in the one that remains when the chosen membership ends, under that one’s subject', async () => {
    const { userId, cookie, subjectThere } = await inBoth();
    await switchTo(cookie, other);
    await house.admin`update members set removed_at = now() where org_id = ${other} and user_id = ${userId}`;
    expect(await subjectOf(cookie)).toBe(userId);
    await house.order('falls-back');
    expect((await send(cookie, subjectThere, 'falls-back')).result?.problem?.type).toMatch(/wrong-subject$/);
    expect((await switchTo(cookie, other)).body).toMatchObject({
      status: 422,
      issues: [{ path: 'organisationId' }],
    });
    await house.admin`update members set removed_at = now() where user_id = ${userId}`;
    const nowhere = await house.ask('GET', '/v1/me', { cookie });
    expect(nowhere.body).toMatchObject({
      status: 401,
      detail: expect.stringContaining('no organisation') as string,
    });
  });

  // Red when: the subject is worked out from the memberships that are left.
  it('keeps each subject when the membership joined first ends: the other one does not take its name', async () => {
    const { userId, cookie, subjectThere } = await inBoth();
    const here = house.organisationId;
    await house.admin`update members set removed_at = now() where org_id = ${here} and user_id = ${userId}`;
    expect(await subjectOf(cookie)).toBe(subjectThere);
    await house.order('left-behind');
    expect((await send(cookie, userId, 'left-behind')).result?.problem?.type).toMatch(/wrong-subject$/);
  });

  it('cannot switch to an organisation they are not in, nor can a key switch at all', async () => {
    const { cookie } = await house.person('agent', 'only-here@example.test');
    expect((await switchTo(cookie, other)).status).toBe(422);
    const key = await house.key('agent');
    const body = { organisationId: other };
    expect((await house.ask('POST', '/v1/me/organisation', { key, body })).status).toBe(403);
  });
});
