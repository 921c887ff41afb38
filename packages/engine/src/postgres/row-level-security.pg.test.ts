import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { is, sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ada,
  approval,
  ben,
  createEngineHouse,
  mint,
  operationIn,
  orderInput,
  proposal,
  shop,
  type EngineHouse,
} from '../../test/engine-house.ts';
import { connect, signInRole } from './connection.ts';
import { migrate } from './migrate.ts';
import { defaultOrganisationId, listOrganisations } from './organisation-store.ts';
import { createRuntime } from './runtime.ts';
import * as schema from './schema.ts';

let house: EngineHouse;
let other: string;
beforeAll(async () => {
  house = await createEngineHouse();
  other = (await house.engine.createOrganisation('Another')).id;
  const operation = operationIn((await house.give(ada, proposal(await house.order(), 1_000)))[0]);
  await house.give(ben, approval(operation));
  await house.engine.putTicket(house.as(shop), 'ticket-1', {
    subject: 'Hello',
    customerId: 'c',
    status: 'open',
  });
});
afterAll(() => house.close());

const organisationTables = (Object.values(schema) as unknown[])
  .filter((value): value is PgTable => is(value, PgTable))
  .map((table) => getTableConfig(table).name)
  .filter((name) => name !== 'installation');

describe('one organisation', () => {
  it('sees no row of another, in any table', async () => {
    for (const table of organisationTables) {
      const foreign = await house.runtime.inOrganisation(other, (tx) =>
        tx.db.execute(sql`select from ${sql.identifier(table)} where org_id <> ${other}`),
      );
      expect([table, foreign.length]).toEqual([table, 0]);
    }
  });

  it('finds neither operation, order nor ticket of another by its ID', async () => {
    const [row] = await house.database.admin`select id, order_id from operations limit 1`;
    const stranger = { organisationId: other, actor: ada };
    expect(await house.engine.getOperation(stranger, String(row?.['id']))).toBeNull();
    expect(await house.engine.getOrder(stranger, String(row?.['order_id']))).toBeNull();
    expect(await house.engine.getTicket(stranger, 'ticket-1')).toBeNull();
    expect((await house.engine.listOperations(stranger, {})).items).toEqual([]);
    expect((await house.engine.searchOrders(stranger, '')).items).toEqual([]);
  });

  it('writes no row that belongs to another', async () => {
    await expect(
      house.runtime.inOrganisation(other, (tx) =>
        tx.db.execute(
          sql`insert into actors (org_id, actor_id, name) values (${house.organisationId}, 'x', 'x')`,
        ),
      ),
    ).rejects.toMatchObject({ cause: { message: expect.stringContaining('row-level security') } });
  });

  it('cannot claim a payment that another’s order holds', async () => {
    const input = orderInput();
    await house.engine.putOrder(house.as(shop), 'order-of-the-first', input);
    const answer = await house.engine.putOrder(
      { organisationId: other, actor: shop },
      'order-of-the-second',
      input,
    );
    expect(answer).toMatchObject({ ok: false, problem: { status: 409 } });
  });

  it('takes an ID that another uses as its own, and shows nothing of it', async () => {
    const orderId = await house.order();
    const command = proposal(orderId, 1_000);
    await house.give(ada, command);
    const [result] = await house.engine.apply({ organisationId: other, actor: ada }, [{ ok: true, command }]);
    expect(result?.problem?.type).toMatch(/not-found$/);
    expect(result?.operation).toBeUndefined();
  });
});

describe('the server’s role', () => {
  it('sees nothing at all before an organisation is named', async () => {
    for (const table of organisationTables) {
      const rows = await house.database.connection.db.execute(sql`select from ${sql.identifier(table)}`);
      expect([table, rows.length]).toEqual([table, 0]);
    }
  });

  it('owns nothing and cannot bypass row-level security', async () => {
    const [role] = await house.database.admin`
      select rolsuper, rolbypassrls, rolcanlogin, rolcreaterole from pg_roles where rolname = 'holdfast_server'`;
    expect(role).toEqual({ rolsuper: false, rolbypassrls: false, rolcanlogin: false, rolcreaterole: false });
    const owned = await house.database.admin`
      select relname from pg_class where relowner in ('holdfast_server'::regrole, 'holdfast_locator'::regrole)`;
    expect(owned).toEqual([]);
    const [current] = await house.database.connection.db.execute(sql`select current_user as name`);
    expect(current).toEqual({ name: 'holdfast_server' });
  });

  it('can neither read sign-in tables nor turn row-level security off', async () => {
    const run = (query: string) => house.database.connection.db.execute(sql.raw(query));
    await expect(run('select from sign_in."user"')).rejects.toMatchObject({
      cause: { message: expect.stringContaining('permission denied') },
    });
    await expect(run('alter table operations disable row level security')).rejects.toMatchObject({
      cause: { message: expect.stringContaining('must be owner') },
    });
    await expect(run('delete from operations')).rejects.toMatchObject({
      cause: { message: expect.stringContaining('permission denied') },
    });
  });
});

describe('the sign-in role', () => {
  it('reads and writes sign-in tables and nothing else', async () => {
    const client = postgres(house.database.url, {
      max: 1,
      connection: { role: signInRole },
      onnotice: () => undefined,
    });
    try {
      await client`insert into sign_in."user" (id, name, email) values ('u1', 'Ada', 'ada@example.test')`;
      expect(await client`select name from sign_in."user"`).toHaveLength(1);
      await expect(client`select from operations`).rejects.toThrow('permission denied');
      await expect(client`select from members`).rejects.toThrow('permission denied');
    } finally {
      await client.end();
    }
  });
});

describe('the questions that come before an organisation is known', () => {
  it('find an API key by its hash only while it and its owner stand', async () => {
    await house.database.admin`insert into members (org_id, user_id, role, name, email)
      values (${house.organisationId}, 'user-1', 'agent', 'Ada', 'ada@example.test')`;
    await house.database.admin`insert into api_keys (org_id, id, hash, role, name, owner_user_id)
      values (${house.organisationId}, 'key-1', 'hash-1', 'agent', 'A key', 'user-1')`;
    const find = async () => [
      ...(await house.database.connection.db.execute(
        sql`select org_id, owner_name from api_key_by_hash('hash-1')`,
      )),
    ];
    expect(await find()).toEqual([{ org_id: house.organisationId, owner_name: 'Ada' }]);
    const found = await house.database.connection.db.execute(
      sql`select org_id, role from memberships_of('user-1')`,
    );
    expect([...found]).toEqual([{ org_id: house.organisationId, role: 'agent' }]);
    await house.database.admin`update members set removed_at = now() where user_id = 'user-1'`;
    expect(await find()).toEqual([]);
  });

  it('name the organisations with work that is due, and no row of theirs', async () => {
    const rows = await house.database.connection.db.execute(
      sql`select * from organisations_with_due_work('2100-01-01'::timestamptz)`,
    );
    expect(rows.map((row) => Object.keys(row))).toEqual([['org_id', 'due', 'next_wake_at']]);
  });
});

describe('a database whose owner is no superuser', () => {
  it('is migrated and used all the same, and its owner is under row-level security too', async () => {
    const owner = `owner_${mint().replaceAll('-', '')}`;
    const name = `owned_${owner}`;
    await house.database.admin.unsafe(`create role ${owner} login`);
    await house.database.admin.unsafe(`create database ${name} owner ${owner}`);
    const url = new URL(house.database.url);
    url.pathname = `/${name}`;
    url.username = owner;
    try {
      // The cluster's roles were made by another: until they are granted, the migration says what to do.
      await expect(migrate({ url: url.href })).rejects.toThrow(`${owner} may not take on the role holdfast_`);
      for (const role of ['holdfast_server', 'holdfast_sign_in', 'holdfast_locator']) {
        await house.database.admin.unsafe(`grant ${role} to ${owner}`);
      }
      await migrate({ url: url.href });
      const connection = connect({ url: url.href, maximum: 2 });
      const runtime = createRuntime(connection);
      try {
        const organisationId = await defaultOrganisationId(connection);
        expect((await listOrganisations(connection)).map(({ id }) => id)).toEqual([organisationId]);
        const seen = await runtime.inOrganisation(organisationId, (tx) =>
          tx.db.select().from(schema.organisations),
        );
        expect(seen).toHaveLength(1);
        await runtime.inOrganisation(organisationId, (tx) =>
          tx.db.insert(schema.actors).values({ organisationId, actorId: 'a', name: 'Ada' }),
        );
      } finally {
        await runtime.close();
        await connection.close();
      }
      const asOwner = postgres(url.href, { max: 1, onnotice: () => undefined });
      expect(await asOwner`select from actors`).toHaveLength(0);
      await asOwner.end();
    } finally {
      await house.database.admin.unsafe(`drop database if exists ${name} with (force)`);
    }
  });
});
