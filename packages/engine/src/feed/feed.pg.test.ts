import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ada,
  boss,
  createEngineHouse,
  operationIn,
  orderInput,
  proposal,
  shop,
  type EngineHouse,
} from '../../test/engine-house.ts';
import { eventually } from '../../test/postgres-rig.ts';
import type { FeedChange, Principal } from '../engine-interface.ts';
import { createRuntime } from '../postgres/runtime.ts';
import { connect } from '../postgres/connection.ts';

let house: EngineHouse;
let who: Principal;
beforeAll(async () => {
  house = await createEngineHouse();
  who = house.as(ada);
});
afterAll(() => house.close());

const idOf = (change: FeedChange): string => change.data.id;
const snapshot = async (as = who) => {
  const seen: FeedChange[] = [];
  let cursor = '';
  for await (const page of house.engine.feed.snapshot(as)) {
    seen.push(...page.changes);
    cursor = page.cursor ?? cursor;
  }
  return { seen, cursor };
};

describe('the feed', () => {
  it('starts with everything there is and goes on from there', async () => {
    const orderId = await house.order();
    const operation = operationIn((await house.give(ada, proposal(orderId, 1_000)))[0]);
    const { seen, cursor } = await snapshot();
    expect(seen.map(idOf)).toEqual(expect.arrayContaining([orderId, operation.id]));
    expect((await house.engine.feed.changesAfter(who, cursor, 100)).changes).toEqual([]);
    const later = await house.order();
    const { changes, cursor: next } = await house.engine.feed.changesAfter(who, cursor, 100);
    expect(changes.map(idOf)).toEqual([later]);
    expect((await house.engine.feed.changesAfter(who, next, 100)).changes).toEqual([]);
  });

  // Red when: `readFeedAfter` reads up to what has committed instead of below the oldest transaction still open.
  it('leaves no gap: while an earlier transaction is open, what committed after it is not told before it', async () => {
    const { cursor } = await snapshot();
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let written = (): void => undefined;
    const hasWritten = new Promise<void>((resolve) => {
      written = resolve;
    });
    const early = house.database.admin.begin(async (transaction) => {
      await transaction`select set_config('holdfast.organisation_id', ${house.organisationId}, true)`;
      const [order] = await transaction<{ order_id: string; version: number; generation: string }[]>`
        update orders set version = version + 1 where order_id = (select min(order_id) from orders)
        returning order_id, version, (select generation from organisations where org_id = orders.org_id)`;
      await transaction`insert into feed (org_id, generation, subject, subject_id, version, tx_id)
        values (${house.organisationId}, ${order?.generation ?? ''}, 'order', ${order?.order_id ?? ''}, ${order?.version ?? 0}, '0')`;
      written();
      await held;
      return order?.order_id ?? '';
    });
    await hasWritten;
    const late = await house.order();
    const during = await house.engine.feed.changesAfter(who, cursor, 100);
    expect(during.changes).toEqual([]);
    letGo();
    const earlyId = await early;
    const after = await eventually(async () => {
      const batch = await house.engine.feed.changesAfter(who, during.cursor, 100);
      return batch.changes.length > 0 && batch;
    });
    expect(after.changes.map(idOf).sort()).toEqual([earlyId, late].sort());
  });

  it('tells a thing that changed often once, as it is now', async () => {
    const { cursor } = await snapshot();
    const input = orderInput();
    for (const name of ['One', 'Two', 'Three']) {
      await house.engine.putOrder(house.as(shop), 'order-often', { ...input, customer: { id: 'c', name } });
    }
    const { changes } = await house.engine.feed.changesAfter(who, cursor, 100);
    expect(changes).toMatchObject([
      { event: 'order', data: { id: 'order-often', version: 3, customer: { name: 'Three' } } },
    ]);
  });

  it('brings everything in as many pages as it takes', async () => {
    const { cursor } = await snapshot();
    const orders = [];
    for (let index = 0; index < 5; index += 1) orders.push(await house.order());
    const seen: string[] = [];
    let at = cursor;
    for (;;) {
      const batch = await house.engine.feed.changesAfter(who, at, 2);
      if (batch.changes.length === 0) break;
      expect(batch.changes.length).toBeLessThanOrEqual(2);
      seen.push(...batch.changes.map(idOf));
      at = batch.cursor;
    }
    expect(seen).toEqual(orders);
  });

  it('wakes watchers of this process and of another, after the commit', async () => {
    const connection = connect({ url: house.database.url, maximum: 3 });
    const elsewhere = createRuntime(connection);
    let here = 0;
    let there = 0;
    const leave = [
      house.engine.feed.watch(house.organisationId, () => (here += 1)),
      elsewhere.wakes.watch(house.organisationId, () => (there += 1)),
    ];
    try {
      await eventually(() => Promise.resolve(here > 0 && there > 0));
      [here, there] = [0, 0];
      await house.order();
      await eventually(() => Promise.resolve(here > 0 && there > 0), 5_000);
    } finally {
      leave.forEach((stop) => stop());
      await elsewhere.close();
      await connection.close();
    }
  });

  it('listens with one connection, however many watch', async () => {
    const leave = Array.from({ length: 5 }, () =>
      house.engine.feed.watch(house.organisationId, () => undefined),
    );
    await eventually(async () => {
      const listening = await house.database
        .admin`select from pg_stat_activity where query ilike 'listen %' and datname = current_database()`;
      return listening.length === 1;
    });
    leave.forEach((stop) => stop());
  });
});

describe('a cursor', () => {
  it('that is ours and not behind us is gone on from', async () => {
    const { cursor } = await snapshot();
    expect(await house.engine.feed.resume(who, cursor)).toEqual({ kind: 'resume', cursor });
  });

  it('that was tampered with, or is another organisation’s, is unreadable', async () => {
    const { cursor } = await snapshot();
    const broken = cursor.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'));
    for (const text of [broken, `${cursor}x`, '', 'x.y', `${cursor}.z`]) {
      expect(await house.engine.feed.resume(who, text)).toEqual({
        kind: 'reset',
        reason: 'cursor-unreadable',
      });
    }
    const other = await house.engine.createOrganisation('Another');
    const stranger = { organisationId: other.id, actor: boss };
    expect(await house.engine.feed.resume(stranger, cursor)).toMatchObject({ reason: 'cursor-unreadable' });
    await expect(house.engine.feed.changesAfter(stranger, cursor, 10)).rejects.toThrow();
  });

  it('from before what was pruned is too old', async () => {
    const { cursor } = await snapshot();
    await house.database.admin`update organisations set feed_pruned_through = pg_current_xact_id()
      where org_id = ${house.organisationId}`;
    expect(await house.engine.feed.resume(who, cursor)).toEqual({ kind: 'reset', reason: 'cursor-too-old' });
    await house.database.admin`update organisations set feed_pruned_through = null`;
  });

  it('that we signed and that is ahead of us proves that history was put back: a new generation begins, on hold', async () => {
    const before = await house.engine.feed.generation(house.organisationId);
    const { signCursor } = await import('../postgres/feed-cursor.ts');
    const [row] = await house.database.admin<
      { cursor_key: Uint8Array }[]
    >`select cursor_key from installation`;
    const ahead = signCursor(row?.cursor_key ?? new Uint8Array(), {
      organisationId: house.organisationId,
      generation: before,
      transactionId: '999999999999',
      rowId: 1,
    });
    expect(await house.engine.feed.resume(who, ahead)).toEqual({ kind: 'reset', reason: 'history-restored' });
    expect(await house.engine.feed.generation(house.organisationId)).not.toBe(before);
    expect((await house.engine.hold.get(house.organisationId)).on).toBe(true);
    // Everyone else's cursor is of the old history now.
    const old = signCursor(row?.cursor_key ?? new Uint8Array(), {
      organisationId: house.organisationId,
      generation: before,
      transactionId: '1',
      rowId: 1,
    });
    expect(await house.engine.feed.resume(who, old)).toEqual({ kind: 'reset', reason: 'history-restored' });
  });
});
