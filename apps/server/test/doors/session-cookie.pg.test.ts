import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPeople, passwordHashing, type People } from '../../src/sign-in/people.ts';
import { appOf } from '../../src/start/run-server.ts';
import { openHouse, type Answered, type House } from '../house-rig.ts';

const origin = 'https://refunds.example.test';
const headers = { origin };
const password = 'a password for tests';
const email = 'ada@example.test';
let house: House;
beforeAll(async () => {
  house = await openHouse({ PUBLIC_ORIGIN: origin, HOLDFAST_RATE_LIMIT: 'off' });
  await joins(email, 'Ada');
  await joins('mallory@example.test', 'Mallory');
});
afterAll(() => house.stop());

const joins = async (address: string, name: string): Promise<string> => {
  const { people, store } = house.opened;
  const { userId } = await people.invite(address, name);
  await people.setPassword(userId, password);
  await store.addMember(house.organisationId, { userId, role: 'agent', name, email: address });
  return userId;
};

const signIn = (address: string, cookie?: string): Promise<Answered> =>
  house.ask('POST', '/api/auth/sign-in/email', {
    headers: { ...headers, ...(cookie === undefined ? {} : { cookie }) },
    body: { email: address, password },
  });
const cookiesOf = ({ headers: given }: Answered): string[] => given.getSetCookie();
const session = '__Host-holdfast.session_token';
const valueOf = (answer: Answered): string => {
  const cookie = cookiesOf(answer).find((one) => one.startsWith(`${session}=`)) ?? '';
  return cookie.slice(session.length + 1).split(';')[0] ?? '';
};
const nameBy = async (cookie: string): Promise<unknown> => {
  const { status, body } = await house.ask('GET', '/v1/me', { headers: { cookie } });
  return status === 200 ? body['name'] : status;
};

describe('where PUBLIC_ORIGIN is https, a cookie', () => {
  // Red when: the prefix, `Secure` or the whole path is left out, a domain is named, or a script may read it.
  it('of ours is of this very host, encrypted, for every path, and no script reads it', async () => {
    const cookies = cookiesOf(await signIn(email));
    expect(cookies.map((cookie) => cookie.split('=')[0]).toSorted()).toEqual([
      '__Host-holdfast.device',
      session,
    ]);
    for (const cookie of cookies) {
      const attributes = cookie.split('; ').slice(1);
      expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax']));
      expect(cookie).not.toMatch(/domain=/i);
    }
  });

  // Red when: the session is also taken from a name that a page of another host of the domain can set.
  it('of another name opens nothing, and none beside ours counts: a neighbour of the domain plants no session', async () => {
    const own = valueOf(await signIn(email));
    const planted = valueOf(await signIn('mallory@example.test'));
    expect(await nameBy(`${session}=${own}`)).toBe('Ada');
    const others = ['holdfast.session_token', '__Secure-holdfast.session_token', 'better-auth.session_token'];
    for (const name of [...others, session.toLowerCase(), ` ${session}x`]) {
      expect(await nameBy(`${name}=${own}`), name).toBe(401);
      expect(await nameBy(`${name}=${planted}; ${session}=${own}`), name).toBe('Ada');
      expect(await nameBy(`${session}=${own}; ${name}=${planted}`), name).toBe('Ada');
    }
  });

  // Red when: a sign-in goes on with the token that came with it.
  it('that was planted before somebody signed in is worth nothing afterwards', async () => {
    const planted = valueOf(await signIn('mallory@example.test'));
    const own = valueOf(await signIn(email, `${session}=${planted}`));
    expect(own).not.toBe(planted);
    expect(await nameBy(`${session}=${planted}`)).toBe(401);
    expect(await nameBy(`${session}=${own}`)).toBe('Ada');
  });

  // Red when: the header is left out, or is sent where the origin is not https.
  it('is sent to no address without encryption: every answer tells the browser to stay on https', async () => {
    const plain = appOf({
      ...house.opened,
      settings: { ...house.opened.settings, publicOrigin: 'http://localhost:4780' },
    });
    for (const route of ['/healthz', '/v1/me', '/v1/nowhere', '/']) {
      const { headers: told } = await house.ask('GET', route);
      expect(told.get('strict-transport-security'), route).toMatch(/^max-age=[1-9]\d{6,}/);
      const { headers: untold } = await plain.request(`http://localhost:4780${route}`);
      expect(untold.get('strict-transport-security'), route).toBeNull();
    }
  });

  // Red when: a page that is not https counts as our own.
  it('lets nothing be changed from the same host without encryption', async () => {
    const own = valueOf(await signIn(email));
    const from = (given: string) =>
      house.ask('POST', '/v1/commands', {
        headers: { cookie: `${session}=${own}`, origin: given },
        body: { commands: [] },
      });
    expect((await from(origin.replace('https', 'http'))).status).toBe(403);
    expect((await from('https://shop.example.test')).status).toBe(403);
    expect((await from('null')).status).toBe(403);
    expect((await from(origin)).status).not.toBe(403);
  });
});

describe('an address that nobody has', () => {
  let people: People;
  let work: string[] = [];
  beforeAll(() => {
    const { database, sharedKey } = house.opened;
    people = openPeople({
      ...{ url: database.url, publicOrigin: origin, sharedKey, maximum: 2 },
      hashing: {
        hash: (given) => {
          work.push('one');
          return passwordHashing.hash(given);
        },
        verify: (given) => {
          work.push('one');
          return passwordHashing.verify(given);
        },
      },
    });
  });
  afterAll(() => people.close());

  // Red when: the slow hash is left out where there is nobody, or nobody with a password, to compare with.
  it('costs the same work as a wrong password, and so does a person without one', async () => {
    const app = appOf({ ...house.opened, people });
    const withoutPassword = 'invited@example.test';
    await house.opened.people.invite(withoutPassword, 'Ines');
    const tryOf = async (address: string) => {
      work = [];
      const answer = await app.request(`${origin}/api/auth/sign-in/email`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ email: address, password: 'not the password' }),
      });
      return { status: answer.status, body: await answer.text(), work };
    };
    const known = await tryOf(email);
    expect(known).toMatchObject({ status: 401, work: ['one'] });
    expect(await tryOf('nobody@example.test')).toEqual(known);
    expect(await tryOf(withoutPassword)).toEqual(known);
  });
});
