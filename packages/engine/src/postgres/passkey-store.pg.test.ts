import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/postgres-rig.ts';
import { passkeysIn, type NewPasskey, type Passkeys } from './passkey-store.ts';

let database: TestDatabase;
let passkeys: Passkeys;
beforeAll(async () => {
  database = await createTestDatabase();
  passkeys = passkeysIn(database.connection.db);
  await database.admin`insert into sign_in."user" (id, name, email) values ('ann', 'Ann', 'ann@example.test')`;
  await database.admin`insert into sign_in."user" (id, name, email) values ('bob', 'Bob', 'bob@example.test')`;
});
afterAll(() => database.drop());

const now = new Date('2026-03-04T05:06:07.000Z');

const added = async (changed: Partial<NewPasskey> = {}): Promise<NewPasskey> => {
  const made = {
    id: randomUUID(),
    credentialId: randomUUID(),
    publicKey: new Uint8Array([165, 1, 2, 0, 255]),
    counter: 0,
    userId: 'ann',
    name: 'Tablet',
    rpId: 'localhost',
    origin: 'http://localhost:4780',
    transports: 'internal,hybrid',
    backedUp: false,
    ...changed,
  };
  expect(await passkeys.add(made)).toBe('added');
  return made;
};

const recorded = async (id: string) => {
  const [row] = await database.admin`select * from sign_in.passkey where id = ${id}`;
  return row;
};

describe('a passkey', () => {
  // Red when: what comes back is not byte for byte what was registered.
  it('is found by its credential as it was registered, by an exact match alone', async () => {
    const made = await added({ credentialId: 'AbC_-9' });
    const found = await passkeys.byCredentialId('AbC_-9');
    expect(found).toMatchObject({ ...made, publicKey: expect.anything() as unknown, revokedAt: null });
    expect([...(found?.publicKey ?? [])]).toEqual([165, 1, 2, 0, 255]);
    expect(await passkeys.byCredentialId('abc_-9')).toBeUndefined();
  });

  it('that is known is not registered again, for nobody', async () => {
    const { credentialId, id } = await added();
    const again = { ...(await passkeys.byCredentialId(credentialId)), id: randomUUID(), userId: 'bob' };
    expect(await passkeys.add(again as NewPasskey)).toBe('known');
    expect(await passkeys.byCredentialId(credentialId)).toMatchObject({ id, userId: 'ann' });
  });

  // Red when: revoking deletes the row, or a second revocation changes who and when.
  it('that is revoked is kept with who and when, and stays revoked', async () => {
    const { id, credentialId } = await added();
    expect(await passkeys.revoke('bob', id, 'bob', now)).toBe('unknown');
    expect(await passkeys.revoke('ann', id, 'ann', now)).toBe('revoked');
    expect(await passkeys.revoke('ann', id, 'somebody', new Date())).toBe('already');
    expect(await passkeys.byCredentialId(credentialId)).toMatchObject({ revokedAt: now, revokedBy: 'ann' });
    expect(await passkeys.noteUse(id, 1, now)).toBe('revoked');
    expect(await passkeys.rename('ann', id, 'Other')).toBe(false);
    await expect(database.connection.db.execute(`delete from sign_in.passkey`)).rejects.toThrow();
  });

  // Red when: the public key of a registered passkey can be exchanged by the server.
  it('cannot be given another key, credential or owner by the server', async () => {
    await added();
    for (const change of [`public_key = '\\x00'`, `credential_id = 'x'`, `user_id = 'bob'`, `origin = 'x'`]) {
      await expect(
        database.connection.db.execute(`update sign_in.passkey set ${change}`),
        change,
      ).rejects.toThrow();
    }
  });

  // Red when: the counter is written without looking at the one that stands there.
  it('shown with a counter that went back is refused and recorded, also by two at once', async () => {
    const { id } = await added({ counter: 3 });
    const results = await Promise.all([passkeys.noteUse(id, 4, now), passkeys.noteUse(id, 4, now)]);
    expect([...results].sort()).toEqual(['noted', 'went-back']);
    expect(await passkeys.noteUse(id, 0, now)).toBe('went-back');
    expect(await recorded(id)).toMatchObject({ counter: '4', counter_went_back_at: now, last_used_at: now });
  });

  it('that never counts is used again and again', async () => {
    const { id } = await added();
    expect(await passkeys.noteUse(id, 0, now)).toBe('noted');
    expect(await passkeys.noteUse(id, 0, now)).toBe('noted');
  });
});

// Red when: two processes can use one challenge each.
it('a challenge is spent once, and forgotten only after its end', async () => {
  const endsAt = new Date(now.getTime() + 1_000);
  const tries = await Promise.all([1, 2, 3].map(() => passkeys.spendChallenge('c', endsAt, now)));
  expect(tries.filter(Boolean)).toHaveLength(1);
  expect(await passkeys.spendChallenge('c', endsAt, endsAt)).toBe(false);
  await passkeys.spendChallenge('other', endsAt, new Date(endsAt.getTime() + 1));
  expect(await database.admin`select from sign_in.spent_challenge where challenge = 'c'`).toHaveLength(0);
});
