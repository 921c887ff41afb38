import { randomBytes } from 'node:crypto';
import type { Role } from '@holdfast/operation';
import { hashApiKey, mintApiKey } from '../../src/sign-in/api-key.ts';
import type { KeyScope } from '../../src/sign-in/key-rules.ts';
import type { House } from '../house-rig.ts';
import { origin } from '../house-rig.ts';

export type Caller = {
  readonly name: string;
  readonly role: Role;
  readonly assistant: boolean;
  readonly isKey: boolean;
  /** A key may be narrower than its role. */
  readonly scope?: KeyScope;
  readonly headers: Readonly<Record<string, string>>;
  /** Keys through which the same person, or the same key, proposes and approves; what `own` states are made with. */
  readonly own: { readonly propose?: string; readonly approve?: string };
};

const password = 'a password for tests';

type NewKey = {
  readonly role: Role;
  readonly ownerUserId?: string;
  readonly assistant?: boolean;
  readonly scope?: KeyScope;
};

/** Adds a key of an organisation of the house. */
export const addKey = async (
  house: House,
  organisationId: string,
  { role, ownerUserId, assistant = false, scope = 'role' }: NewKey,
): Promise<string> => {
  const key = mintApiKey();
  const id = randomBytes(8).toString('hex');
  await house.opened.store.addKey(organisationId, {
    id,
    hash: hashApiKey(key),
    role,
    name: `${role} key`,
    ownerUserId: ownerUserId ?? null,
    assistant,
    scope,
  });
  return key;
};

/** Adds a member of an organisation of the house, signed in. */
export const addPerson = async (
  house: House,
  organisationId: string,
  role: Role,
  email: string,
): Promise<{ readonly userId: string; readonly cookie: string }> => {
  const { people, store } = house.opened;
  const { userId } = await people.invite(email, `The ${role}`);
  await people.setPassword(userId, password);
  await store.addMember(organisationId, { userId, role, name: `The ${role}`, email });
  const answer = await house.ask('POST', '/api/auth/sign-in/email', {
    body: { email, password },
    headers: { origin },
  });
  const cookie = answer.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  if (answer.status !== 200 || cookie === '') throw new Error(`${email} was not signed in`);
  return { userId, cookie };
};

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const keyRoles = ['agent', 'approver', 'operator', 'integrator'] as const;

/** Everybody an organisation may have: people of each role, keys with and without an owner, assistants' keys. */
export const callersOf = async (
  house: House,
  organisationId: string,
  place: string,
): Promise<readonly Caller[]> => {
  const callers: Caller[] = [];
  const ownedKey = (role: Role, ownerUserId: string) => addKey(house, organisationId, { role, ownerUserId });
  for (const role of ['agent', 'approver', 'operator', 'admin', 'integrator'] as const) {
    const { userId, cookie } = await addPerson(house, organisationId, role, `${role}@${place}.test`);
    callers.push({
      name: role,
      role,
      assistant: false,
      isKey: false,
      headers: { cookie, origin },
      own: { propose: await ownedKey('agent', userId), approve: await ownedKey('approver', userId) },
    });
  }
  for (const role of keyRoles) {
    const key = await addKey(house, organisationId, { role });
    const own = {
      ...(role === 'agent' ? { propose: key } : {}),
      ...(role === 'approver' ? { approve: key } : {}),
    };
    callers.push({ name: `${role} key`, role, assistant: false, isKey: true, headers: bearer(key), own });
  }
  for (const role of keyRoles) {
    for (const scope of ['read', 'propose'] as const) {
      const key = await addKey(house, organisationId, { role, scope });
      const name = `${role} key that may ${scope}`;
      callers.push({ name, role, assistant: false, isKey: true, scope, headers: bearer(key), own: {} });
    }
  }
  for (const [index, role] of (['agent', 'approver', 'operator', 'admin'] as const).entries()) {
    const { userId } = await addPerson(
      house,
      organisationId,
      'admin',
      `owner-${String(index)}@${place}.test`,
    );
    const own = { propose: await ownedKey('agent', userId), approve: await ownedKey('approver', userId) };
    const key = await ownedKey(role, userId);
    callers.push({
      name: `owned ${role} key`,
      role,
      assistant: false,
      isKey: true,
      headers: bearer(key),
      own,
    });
    const assistant = await addKey(house, organisationId, { role, ownerUserId: userId, assistant: true });
    callers.push({
      name: `assistant ${role} key`,
      role,
      assistant: true,
      isKey: true,
      headers: bearer(assistant),
      own,
    });
  }
  return callers;
};

export type Stranger = { readonly name: string; readonly headers: Readonly<Record<string, string>> };

/** Those who are nobody here: without credentials, with made-up ones, or with some that were taken away. */
export const strangersTo = async (house: House): Promise<readonly Stranger[]> => {
  const revoked = await addKey(house, house.organisationId, { role: 'operator' });
  await house.admin`update api_keys set revoked_at = now() where hash = ${hashApiKey(revoked)}`;
  const gone = await addPerson(house, house.organisationId, 'admin', 'gone@home.test');
  const orphan = await addKey(house, house.organisationId, { role: 'operator', ownerUserId: gone.userId });
  await house.admin`update members set removed_at = now() where user_id = ${gone.userId}`;
  const [name = ''] = gone.cookie.split('=');
  return [
    { name: 'nobody', headers: {} },
    { name: 'made-up key', headers: bearer(`hf_${'A'.repeat(43)}`) },
    { name: 'no key at all', headers: { authorization: 'Bearer nonsense' } },
    { name: 'revoked key', headers: bearer(revoked) },
    { name: 'removed member', headers: { cookie: gone.cookie, origin } },
    { name: "removed member's key", headers: bearer(orphan) },
    {
      name: 'made-up session',
      headers: { cookie: `${name}=${'a'.repeat(32)}.${'b'.repeat(43)}%3D`, origin },
    },
  ];
};
