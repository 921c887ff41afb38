import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintId, openHouse, proposalOf, type House } from './house-rig.ts';
import { holdfast, type Ended } from './program.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.stop());

const run = (...words: string[]): Promise<Ended> =>
  holdfast(
    {
      DATABASE_URL: house.opened.settings.databaseUrl ?? '',
      HOLDFAST_DEMO: 'off',
      HOLDFAST_DATA_DIR: house.opened.settings.dataFolder,
      STRIPE_SECRET_KEY: house.fake.access.secretKey,
      STRIPE_API_BASE: house.fake.access.apiBase,
    },
    ...words,
  );

/** Every row of every table as text, the way a dump would hold it: where the words stand. */
const whereItStands = async (...words: readonly string[]): Promise<readonly string[]> => {
  const tables = await house.admin<{ place: string }[]>`
    select format('%I.%I', table_schema, table_name) as place from information_schema.tables
    where table_schema in ('public', 'sign_in') and table_type = 'BASE TABLE' order by 1`;
  const found: string[] = [];
  for (const { place } of tables) {
    const [row] = await house.admin.unsafe<{ count: string }[]>(
      `select count(*)::text as count from ${place} t where t::text ilike any($1::text[])`,
      [words.map((word) => `%${word}%`)],
    );
    if (row?.count !== '0') found.push(`${place}: ${row?.count ?? ''}`);
  }
  expect(tables.length).toBeGreaterThan(30);
  return found;
};

const name = 'Quillon Ndiaye-Brandt';
const address = 'quillon@ndiaye.test';

/** They propose, approve, deny, comment, put on hold, and are written about: everywhere that a name can be typed. */
const leaveTraces = async (): Promise<{ userId: string; operationId: string }> => {
  const person = await house.person('admin', address);
  const { admin, organisationId } = house;
  await admin`update members set name = ${name} where user_id = ${person.userId}`;
  await admin`update sign_in."user" set name = ${name} where id = ${person.userId}`;
  const as = { cookie: person.cookie };
  const reasons: readonly [string, string][] = [
    ['kept', `Asked by ${name}\n${name}, see ${address.toUpperCase()}`],
    ['denied', 'Seen.'],
  ];
  const ids: string[] = [];
  for (const [order, note] of reasons) {
    await house.order(order);
    const id = mintId();
    ids.push(id);
    const proposal = { ...proposalOf(order), note };
    const proposed = await house.ask('PUT', `/v1/operations/${id}`, { ...as, body: proposal });
    expect(proposed.status).toBe(201);
    const decision =
      order === 'kept'
        ? { route: 'approve', body: { commandId: mintId(), fingerprint: proposed.body['fingerprint'] } }
        : { route: 'deny', body: { commandId: mintId(), reason: `${name} says no` } };
    const key = await house.key('approver');
    const decided = await house.ask('POST', `/v1/operations/${id}/${decision.route}`, {
      key,
      body: decision.body,
    });
    expect(decided.status).toBe(200);
  }
  await house.opened.made.worker.runOnce();
  const operationId = ids[0] ?? '';
  const comment = { act: 'comment', text: `Told ${name} of it`, commandId: mintId() };
  expect(
    (await house.ask('POST', `/v1/operations/${operationId}/case`, { ...as, body: comment })).status,
  ).toBe(200);
  const hold = { on: true, reason: `${name} asked for it` };
  expect((await house.ask('POST', '/v1/hold', { ...as, body: hold })).status).toBe(200);
  await admin`insert into push_subscriptions (org_id, id, user_id, session_id, endpoint, public_key, auth_secret, created_at)
    values (${organisationId}, 'p', ${person.userId}, 's', 'https://push.test/x', 'k', 'a', now())`;
  await admin`insert into sign_in.passkey (id, credential_id, public_key, counter, user_id, name, rp_id, origin, backed_up)
    values ('pk', 'c', '\\x01', 0, ${person.userId}, ${`${name}'s key`}, 'localhost', 'http://localhost', false)`;
  await admin`insert into invitations (org_id, id, email, name, role, token_hash, invited_by, expires_at)
    values (${organisationId}, 'i', ${address}, ${name}, 'agent', 'h', 'x', now())`;
  await admin`insert into operation_conversations (org_id, operation_id, kept_at, conversation)
    values (${organisationId}, ${operationId}, now(), ${JSON.stringify([`Refund it, says ${name}`])}::text::jsonb)`;
  return { userId: person.userId, operationId };
};

describe('erasing a person', () => {
  // Red when: one place in which a name is kept or can be typed is forgotten, or a hash of the audit covers one.
  it('leaves the name and the address nowhere in the database, and the audit verifies as before', async () => {
    const { userId, operationId } = await leaveTraces();
    expect((await whereItStands(name, address)).length).toBeGreaterThan(8);
    const early = await run('person', 'erase', address, '--yes');
    expect([early.code, early.error]).toEqual([1, expect.stringContaining('They still belong to')]);
    await house.admin`update members set removed_at = now() where user_id = ${userId}`;

    const before = await whereItStands(name, address);
    const asked = await run('person', 'erase', address, '--json');
    expect([asked.code, asked.error]).toEqual([0, expect.stringContaining('Nothing was changed')]);
    expect(JSON.parse(asked.out)).toMatchObject({ carriedOut: false, id: userId, passkeys: 1, browsers: 1 });
    expect(await whereItStands(name, address)).toEqual(before);

    const feedBefore = await house.admin`select version from operations where id = ${operationId}`;
    const erased = await run('person', 'erase', address, '--yes', '--json');
    expect([erased.code, erased.error]).toEqual([0, expect.any(String)]);
    const { pseudonym } = JSON.parse(erased.out) as { pseudonym: string };
    expect(await whereItStands(name, address)).toEqual([]);
    expect(await whereItStands(pseudonym)).not.toEqual([]);

    const key = await house.key('operator');
    const shown = await house.ask('GET', `/v1/operations/${operationId}`, { key });
    expect(shown.body).toMatchObject({
      note: `Asked by ${pseudonym}\n${pseudonym}, see ${pseudonym}`,
      proposedBy: { id: userId, name: pseudonym },
    });
    // Devices keep the highest version: they are told.
    expect(Number(shown.body['version'])).toBeGreaterThan(Number(feedBefore[0]?.['version']));
    expect(await house.admin`select 1 from sign_in.session where "userId" = ${userId}`).toHaveLength(0);
    const verified = await run('audit', 'verify', '--json');
    expect([verified.code, verified.out]).toEqual([0, expect.any(String)]);
    const entries =
      await house.admin`select actor_id, data from organisation_audit where type = 'person-erased'`;
    expect(entries).toMatchObject([{ actor_id: 'command-line', data: {} }]);
    expect((await run('person', 'erase', 'nobody@nowhere.test', '--yes')).code).toBe(1);
  });
});

describe('erasing a customer', () => {
  // Red when: a table that holds customers' names or what they wrote is forgotten, or another customer's is taken.
  it('leaves the name, the address and what was written nowhere, and keeps what others wrote', async () => {
    const customer = 'Perpetua Okonkwo';
    const integrator = await house.key('integrator');
    await house.order('hers');
    await house.order('another');
    await house.admin`update orders set customer_id = 'c-hers', customer_name = ${customer} where order_id = 'hers'`;
    const messages = [
      { at: new Date().toISOString(), from: customer, text: 'My address is perpetua@okonkwo.test' },
    ];
    for (const [id, customerId] of [
      ['t-hers', 'c-hers'],
      ['t-other', 'c-other'],
    ] as const) {
      const body = { subject: `${customer} waits`, customerId, status: 'open', messages };
      expect((await house.ask('PUT', `/v1/tickets/${id}`, { key: integrator, body })).status).toBe(201);
    }
    const id = mintId();
    const proposal = { ...proposalOf('hers'), note: `${customer} called`, ticketId: 't-hers' };
    const agent = await house.key('agent');
    expect((await house.ask('PUT', `/v1/operations/${id}`, { key: agent, body: proposal })).status).toBe(201);

    const words = ['customer', 'erase', 'c-hers', '--also', 'perpetua@okonkwo.test'];
    expect((await run('customer', 'erase', 'no-such', '--yes')).code).toBe(1);
    expect((await run(...words)).code).toBe(0);
    expect(await whereItStands(customer)).not.toEqual([]);
    const erased = await run(...words, '--yes', '--json');
    expect([erased.code, erased.error]).toEqual([0, expect.any(String)]);
    expect(JSON.parse(erased.out)).toMatchObject({ orders: 1, tickets: 1 });
    expect(await whereItStands(customer, 'perpetua@okonkwo.test')).toEqual([]);
    const [other] = await house.admin`select messages from tickets where ticket_id = 't-other'`;
    expect(other?.['messages']).toMatchObject([
      { text: expect.stringContaining('My address is') as unknown },
    ]);
    const verified = await run('audit', 'verify');
    expect([verified.code, verified.out]).toEqual([0, expect.any(String)]);
  });
});
