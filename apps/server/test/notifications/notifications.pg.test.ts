import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notifyOnce, type NotifyParts } from '../../src/notifications/notify.ts';
import { pushKeysFrom } from '../../src/notifications/push-sender.ts';
import { notifyPartsOf } from '../../src/start/notifications-of.ts';
import { mintId, openHouse, origin, proposalOf, type Answered, type House } from '../house-rig.ts';
import { startMailCatcher, type MailCatcher } from '../mail-catcher.ts';
import {
  certificate,
  isSignedFor,
  startPushService,
  type FakeBrowser,
  type FakePushService,
} from './push-service.ts';

let house: House;
let service: FakePushService;
let catcher: MailCatcher;
let parts: NotifyParts;
const troubles: unknown[] = [];
type Person = Awaited<ReturnType<House['person']>>;
let ben: Person;
let cleo: Person;
let agentKey: string;

beforeAll(async () => {
  service = await startPushService();
  catcher = await startMailCatcher();
  house = await openHouse({
    HOLDFAST_PUSH_SERVICES: service.origin,
    HOLDFAST_SMTP_URL: catcher.url,
    HOLDFAST_MAIL_FROM: 'Holdfast <refunds@example.test>',
  });
  parts = {
    ...notifyPartsOf(house.opened, { certificate }),
    quietMs: 0,
    onTrouble: (error) => troubles.push(error),
  };
  ben = await house.person('approver', 'ben@example.test');
  cleo = await house.person('approver', 'cleo@example.test');
  agentKey = await house.key('agent');
});
afterAll(async () => {
  parts.push.close();
  await house.stop();
  await catcher.stop();
  await service.stop();
  expect(troubles).toEqual([]);
});

const ask = (person: Person, path: string, body?: unknown): Promise<Answered> =>
  house.ask(body === undefined ? 'GET' : 'POST', `/v1/me/notifications${path}`, {
    cookie: person.cookie,
    ...(body === undefined ? {} : { body }),
  });
const subscribe = async (person: Person, browser = service.browser()): Promise<FakeBrowser> => {
  const { endpoint, keys } = browser;
  expect((await ask(person, '/devices', { endpoint, keys })).status).toBe(200);
  return browser;
};
const propose = async (): Promise<string> => {
  const orderId = `order-${mintId()}`;
  await house.order(orderId);
  const id = mintId();
  const answer = await house.ask('PUT', `/v1/operations/${id}`, { key: agentKey, body: proposalOf(orderId) });
  expect(answer.status).toBe(201);
  return id;
};
const clean = async (): Promise<void> => {
  await house.admin`update operations set state = 'cancelled' where state = 'proposed'`;
  await house.admin`delete from notices_told`;
  await house.admin`delete from notices`;
  await house.admin`update push_subscriptions set gone_at = now(), gone_because = 'test' where gone_at is null`;
};
const lettersTo = (address: string) => catcher.letters.filter(({ to }) => to.includes(address));

describe('an approver', () => {
  // Red when: the notice is not encrypted for the browser, not signed for its service, or says more than a lock screen may.
  it('is told on their device, encrypted and signed, how many wait and in which organisation; one without a device by mail', async () => {
    await clean();
    const browser = await subscribe(ben);
    await propose();
    await propose();
    await Promise.all([notifyOnce(parts), notifyOnce(parts)]);
    const [organisation] = await house.admin`select name from organisations`;
    expect(browser.notices).toEqual([
      {
        title: organisation?.['name'] as string,
        body: '2 refunds wait for your approval.',
        tag: expect.any(String) as string,
        place: '/approvals',
      },
    ]);
    const [headers] = browser.headers;
    const { publicKey } = pushKeysFrom(house.opened.sharedKey);
    expect(isSignedFor(headers?.['authorization'], service.origin, publicKey)).toBe(true);
    expect(headers?.['topic']).toBe(browser.notices[0]?.tag);
    const letter = await catcher.next('cleo@example.test');
    expect(letter.text).toContain('2 refunds wait for your approval');
    expect(letter.text).toContain(`${origin}/approvals`);
    expect(letter.text).not.toMatch(/Ann|EUR|10[.,]00/);
    expect(lettersTo('ben@example.test')).toEqual([]);
    await notifyOnce(parts);
    expect(browser.notices).toHaveLength(1);
    expect(lettersTo('cleo@example.test')).toHaveLength(1);
  });

  // Red when: what a service has no time for now is dropped, or asked again before it said.
  it('is told later where the push service has no time now', async () => {
    await clean();
    const browser = await subscribe(ben);
    browser.answer = { status: 429, headers: { 'retry-after': '120' } };
    await propose();
    await notifyOnce(parts);
    await notifyOnce(parts);
    expect(browser.headers).toHaveLength(1);
    const [row] = await house.admin`select extract(epoch from due_at - made_at) >= 120 as later, ended_at
      from notices where way = 'push'`;
    expect(row).toEqual({ later: true, ended_at: null });
    browser.answer = { status: 201 };
    await house.admin`update notices set due_at = now()`;
    await notifyOnce(parts);
    expect(browser.notices).toHaveLength(1);
  });

  // Red when: a browser that its service no longer knows is asked again, or its person hears nothing.
  it('whose browser is gone is told by mail instead', async () => {
    await clean();
    const browser = await subscribe(ben);
    browser.answer = { status: 410 };
    const before = lettersTo('ben@example.test').length;
    await propose();
    await notifyOnce(parts);
    await notifyOnce(parts);
    await notifyOnce(parts);
    expect(browser.headers).toHaveLength(1);
    expect(lettersTo('ben@example.test')).toHaveLength(before + 1);
    expect((await ask(ben, '')).body).toMatchObject({ devices: 0, way: 'push-else-mail', mail: 'leaves' });
  });

  // Red when: a mail server that refuses ends the letter.
  it('gets their letter once the mail server takes letters again', async () => {
    await clean();
    catcher.refuseAll(true);
    const before = lettersTo('cleo@example.test').length;
    await propose();
    await notifyOnce(parts);
    catcher.refuseAll(false);
    expect(lettersTo('cleo@example.test')).toHaveLength(before);
    await house.admin`update notices set due_at = now()`;
    await notifyOnce(parts);
    expect(lettersTo('cleo@example.test')).toHaveLength(before + 1);
  });

  // Red when: the test notice goes elsewhere than real ones would, or twice.
  it('sees by a notice of their own asking that it arrives', async () => {
    await clean();
    const browser = await subscribe(ben);
    expect((await ask(ben, '/test', {})).body).toEqual({ places: 1 });
    expect((await ask(ben, '/test', {})).body).toEqual({ places: 1 });
    await notifyOnce(parts);
    expect(browser.notices).toMatchObject([{ body: expect.stringContaining('only to try it') as string }]);
  });
});

describe('a browser', () => {
  // Red when: a subscription outlives the session it was made in.
  it('shows nothing more once its person has signed out, whether or not it said so itself', async () => {
    await clean();
    const leaving = await house.person('approver', 'dora@example.test');
    const browser = await subscribe(leaving);
    const out = await house.ask('POST', '/api/auth/sign-out', { cookie: leaving.cookie, body: {} });
    expect(out.status).toBe(200);
    await propose();
    await notifyOnce(parts);
    expect(browser.headers).toEqual([]);
  });

  // Red when: the person before keeps their notices on a device that somebody else signed in on.
  it('is whoever’s signed in there last', async () => {
    await clean();
    const browser = await subscribe(ben);
    expect((await ask(cleo, '/devices/own', { endpoint: browser.endpoint })).body).toEqual({ own: false });
    expect((await ask(ben, '/devices/own', { endpoint: browser.endpoint })).body).toEqual({ own: false });
    await subscribe(cleo, browser);
    expect((await ask(cleo, '/devices/own', { endpoint: browser.endpoint })).body).toEqual({ own: true });
    await propose();
    await notifyOnce(parts);
    expect(browser.headers).toHaveLength(1);
    const rows = await house.admin`select user_id from notices where way = 'push'`;
    expect(rows).toEqual([{ user_id: cleo.userId }]);
    expect((await ask(cleo, '/devices/end', { endpoint: browser.endpoint })).body).toEqual({ ended: true });
  });

  // Red when: an address in our own network, or keys that are none, are kept.
  it('whose address leads into our own network, or whose keys are none, is refused with the field and why', async () => {
    await clean();
    const { keys } = service.browser();
    const inside = await ask(ben, '/devices', { endpoint: 'https://169.254.169.254/latest', keys });
    expect(inside.status).toBe(422);
    expect(inside.body['issues']).toMatchObject([
      { path: 'endpoint', message: expect.stringContaining('host') as string },
    ]);
    const broken = await ask(ben, '/devices', {
      endpoint: 'https://push.example.org/a',
      keys: { ...keys, auth: 'AA' },
    });
    expect(broken.status).toBe(422);
    expect(await house.admin`select from push_subscriptions where gone_at is null`).toHaveLength(0);
  });
});
