import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { defaultPolicy, type Policy } from '@holdfast/operation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House } from './house-rig.ts';
import { holdfast } from './program.ts';

let house: House;
let variables: Record<string, string> = {};
let file = '';
beforeAll(async () => {
  house = await openHouse({ HOLDFAST_RATE_LIMIT: 'off' });
  const { settings, database } = house.opened;
  variables = {
    DATABASE_URL: database.url,
    HOLDFAST_DATA_DIR: settings.dataFolder,
    HOLDFAST_DEMO: 'off',
    HOLDFAST_KEY_APPROVALS: 'on',
  };
  file = path.join(settings.dataFolder, 'policy.json');
});
afterAll(() => house.stop());

const run = (...words: string[]) => holdfast(variables, ...words);
const ran = async (...words: string[]): Promise<Record<string, unknown>> => {
  const done = await run(...words, '--json');
  expect(done.code, done.error).toBe(0);
  return JSON.parse(done.out) as Record<string, unknown>;
};
const entries = async (subject: string): Promise<unknown[]> =>
  (
    await house.admin`select type, actor_id from organisation_audit
      where subject = ${subject} and type not like 'policy-refused' order by sequence`
  ).map((row) => [row['type'], row['actor_id']] as unknown);

describe('policy on the command line', () => {
  const policyNow = async (): Promise<Policy> => (await ran('policy', 'show'))['policy'] as Policy;
  const set = async (changes: Partial<Policy>, basedOn?: number) => {
    const policy = await policyNow();
    const version = basedOn ?? policy.version;
    await writeFile(file, JSON.stringify({ policy: { ...policy, ...changes, version } }));
    return run('policy', 'set', file, '--note', 'as agreed', '--json');
  };

  // Red when: the command line puts a loosening in force by itself, or leaves no entry.
  it('tightens at once, and what it loosens waits for an admin in person; both stand in the audit', async () => {
    expect(await policyNow()).toEqual(defaultPolicy);
    const tightened = await set({ approvalsNeeded: 2 });
    expect([tightened.code, JSON.parse(tightened.out)]).toEqual([
      0,
      { outcome: 'in-force', version: 2, waiting: null },
    ]);
    const loosened = await set({ approvalsNeeded: 1 });
    const { outcome, waiting } = JSON.parse(loosened.out) as { outcome: string; waiting: string };
    expect(outcome).toBe('waiting');
    expect(await policyNow()).toMatchObject({ version: 2, approvalsNeeded: 2 });

    const boss = await house.person('admin', 'boss@example.test');
    const agreed = await house.ask('POST', `/v1/policy/changes/${waiting}/approve`, {
      cookie: boss.cookie,
      body: {},
    });
    expect(agreed.body).toMatchObject({ outcome: 'in-force' });
    expect(await policyNow()).toMatchObject({ version: 3, approvalsNeeded: 1 });
    expect(await entries('policy')).toEqual([
      ['policy-changed', 'command-line'],
      ['policy-proposed', 'command-line'],
      ['policy-changed', boss.userId],
    ]);
    expect((await run('audit', 'verify')).code).toBe(0);
  });

  // Red when: the rules of the fields, or the version that was changed, are not looked at here.
  it('is refused with the field, or for another version than the one in force, and changes nothing', async () => {
    const { version } = await policyNow();
    const wrong = await set({ approvalsNeeded: 0 });
    expect([wrong.code, wrong.out]).toEqual([1, '']);
    expect(wrong.error).toContain('policy.approvalsNeeded');
    const late = await set({ approvalsNeeded: 3 }, version - 1);
    expect(late.code).toBe(1);
    expect(late.error).toContain('Nothing was changed');
    const missing = await run('policy', 'set', `${file}.none`, '--note', 'x');
    expect([missing.code, missing.error]).toEqual([1, expect.stringContaining('cannot be read') as string]);
    expect((await policyNow()).version).toBe(version);
  });
});

describe('doctor', () => {
  const weak = async (): Promise<string[]> => {
    const { out } = await run('doctor', '--json');
    const { checks } = JSON.parse(out) as { checks: { check: string; finding: string }[] };
    return checks.flatMap(({ check, finding }) => (check === 'weak setting' ? [finding] : []));
  };

  // Red when: passkeys are counted that are revoked, or of people who may not approve.
  it('says where signatures are asked for and nobody who approves has a passkey that lives', async () => {
    const policy = (await ran('policy', 'show'))['policy'] as Policy;
    await writeFile(file, JSON.stringify({ ...policy, signatureRequired: 'always' }));
    expect((await run('policy', 'set', file, '--note', 'proof')).code).toBe(0);
    const nobody = expect.stringContaining('nobody who approves has one') as string;
    const agent = await house.person('agent', 'agent@example.test');
    const ben = await house.person('approver', 'ben@example.test');
    const passkey = (userId: string, revokedAt: Date | null) => house.admin`
      insert into sign_in.passkey (id, credential_id, public_key, counter, user_id, name, rp_id, origin, backed_up, revoked_at,
        revoked_by)
      values (gen_random_uuid(), gen_random_uuid(), 'k', 0, ${userId}, 'Tablet', 'localhost', 'http://localhost:4780',
        true, ${revokedAt}, ${revokedAt === null ? null : userId})`;
    await passkey(agent.userId, null);
    await passkey(ben.userId, new Date());
    expect(await weak()).toContainEqual(nobody);
    await passkey(ben.userId, null);
    expect(await weak()).not.toContainEqual(nobody);
  });
});

describe('a key on the command line', () => {
  const isKnown = async (key: string): Promise<boolean> =>
    (await house.ask('GET', '/v1/me', { key })).status === 200;

  // Red when: the scope or the end is not stored with the key.
  it('is made as narrow and as short-lived as asked for', async () => {
    const make = ['api-key', 'create', '--role', 'agent', '--name', 'Reports'];
    const { id, key } = await ran(...make, '--scope', 'read', '--expires', '2999-12-31');
    expect(await isKnown(String(key))).toBe(true);
    const proposed = await house.ask('PUT', `/v1/operations/01890a5d-ac96-7bbb-8cce-b302099a8057`, {
      key: String(key),
      body: {},
    });
    expect(proposed.status).toBe(403);
    const { items } = await ran('api-key', 'list');
    expect(items).toContainEqual(
      expect.objectContaining({ id, scope: 'read', expiresAt: '2999-12-31T23:59:59.999Z', stands: 'works' }),
    );
    expect(JSON.stringify(items)).not.toContain(String(key));
    const past = await run(...make, '--expires', '2020-01-01');
    expect([past.code, past.out]).toEqual([1, '']);
  });

  // Red when: the old secret outlives its grace, the new one does not work, or a revoked one does.
  it('is rotated with the time asked for the old one, and revoked at once', async () => {
    const made = await ran('api-key', 'create', '--role', 'agent', '--name', 'Shop');
    const id = String(made['id']);
    const second = await ran('api-key', 'rotate', id);
    expect([await isKnown(String(made['key'])), await isKnown(String(second['key']))]).toEqual([true, true]);
    const third = await ran('api-key', 'rotate', id, '--grace', '0');
    expect(third['oldWorksUntil']).toBeNull();
    const keys = [made, second, third].map(({ key }) => String(key));
    expect(await Promise.all(keys.map(isKnown))).toEqual([false, false, true]);
    await ran('api-key', 'revoke', id);
    expect(await Promise.all(keys.map(isKnown))).toEqual([false, false, false]);
    expect(await entries(`key ${id}`)).toEqual([
      ['key-created', 'command-line'],
      ['key-rotated', 'command-line'],
      ['key-rotated', 'command-line'],
      ['key-revoked', 'command-line'],
    ]);
    const gone = await run('api-key', 'rotate', id);
    expect([gone.code, gone.out]).toEqual([1, '']);
  });
});
