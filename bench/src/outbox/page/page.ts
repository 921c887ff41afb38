import { createBrowserOutbox } from '@holdfast/outbox/browser';
import { openBareDatabase } from './bare-database.ts';
import { transactionsSince, transactionsSoFar, watchTransactions } from './count-transactions.ts';
import { beginFor, dropProduct, proposalFor, subject, tap, untilRead } from './product.ts';
import type { CaughtUp, Drained, Measures, Pair } from '../page-results.ts';

declare global {
  interface Window {
    measures?: Measures;
  }
}

const timed = async (task: () => Promise<unknown>): Promise<number> => {
  const beganMs = performance.now();
  await task();
  return performance.now() - beganMs;
};

const tell = async (path: string): Promise<void> => {
  const answer = await fetch(path, { method: 'POST' });
  if (!answer.ok) throw new Error(`${path} was answered ${String(answer.status)}`);
};

/** The row that the product stores, give or take its field names. */
const entryLike = (operationId: string, orderId: string, body: string): Record<string, unknown> => ({
  ...{ v: 1, key: operationId, operationId, commandId: operationId, type: 'propose', subject, orderId },
  ...{ position: 1, supersedes: null, protocol: 1, body, queuedAtMs: Date.now() },
});

const commandText = (operationId: string, orderId: string): string =>
  JSON.stringify({
    ...{ type: 'propose', commandId: operationId, operationId, subject },
    ...proposalFor(orderId),
  });

/** From the tap on "propose" to "saved on this device", beside one strict write of the same row. */
const saved = async (name: string, rounds: number): Promise<readonly Pair[]> => {
  const outbox = createBrowserOutbox({ name, readFeed: false });
  const bare = await openBareDatabase(`${name}-bare`, 'key', ['operationId', 'subject', 'orderId']);
  const pairs: Pair[] = [];
  await outbox.start({ subject });
  // The first ones open databases and warm the engine up.
  for (let round = -5; round < rounds; round += 1) {
    const orderId = `order-${name}-${String(round + 5)}`;
    const operationId = await beginFor(outbox, orderId);
    const row = entryLike(operationId, orderId, commandText(operationId, orderId));
    const bareMs = await timed(() => bare.put([row], 'strict'));
    const productMs = await timed(() => tap(outbox, operationId, orderId));
    if (round >= 0) pairs.push({ bareMs, productMs });
    // What was saved is sent at once; the next write must not meet that.
    await untilRead(outbox, { of: 'status' }, ({ waiting }) => waiting === 0);
  }
  await dropProduct(outbox, name);
  bare.drop();
  return pairs;
};

const freshId = (): string => `019ad000-0000-7000-8000-${crypto.randomUUID().slice(-12)}`;

/** The same commands in one request, and what they and their answers say in one strict write. */
const drainBare = async (name: string, count: number): Promise<number> => {
  const bare = await openBareDatabase(`${name}-bare`, 'key', []);
  const ids = Array.from({ length: count }, freshId);
  const bodies = ids.map((id, place) => commandText(id, `order-${String(place)}`));
  const ms = await timed(async () => {
    const answer = await fetch('/v1/commands', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"commands":[${bodies.join(',')}]}`,
    });
    const { results } = (await answer.json()) as { results: readonly unknown[] };
    const rows = bodies.map((body, place) => ({ key: ids[place], body, result: results[place] }));
    await bare.put(rows, 'strict');
  });
  bare.drop();
  return ms;
};

/** From the sign-in that lets the parked items go to the last verdict stored. */
const drain = async (name: string, count: number): Promise<Drained> => {
  const bareMs = await drainBare(name, count);
  await tell('/bench/sign-out');
  const outbox = createBrowserOutbox({ name, readFeed: false });
  await outbox.start({ subject });
  let sentBytes = 0;
  for (let place = 0; place < count; place += 1) {
    const orderId = `order-${String(place)}`;
    const operationId = await beginFor(outbox, orderId);
    await tap(outbox, operationId, orderId);
    sentBytes += commandText(operationId, orderId).length;
  }
  await untilRead(outbox, { of: 'status' }, ({ signInToSend }) => signInToSend === count);
  await tell('/bench/sign-in');
  const before = transactionsSoFar();
  performance.mark('drain-begins');
  const productMs = await timed(async () => {
    await outbox.signedIn(subject);
    await outbox.sendNow();
  });
  performance.mark('drain-ends');
  const transactions = transactionsSince(before);
  await untilRead(outbox, { of: 'status' }, ({ waiting, needsYou }) => waiting === 0 && needsYou === 0);
  await dropProduct(outbox, name);
  return { bareMs, productMs, transactions, sentBytes };
};

type FeedRow = {
  id: string;
  orderId: string;
  ticketId: null;
  state: string;
  needsPerson: number;
  body: unknown;
};

const rowOf = (line: string): FeedRow => {
  const body = JSON.parse(line.slice('data: '.length)) as FeedRow & { needsPerson: boolean };
  const { id, orderId, state, needsPerson } = body;
  return { id, orderId, ticketId: null, state, needsPerson: needsPerson ? 1 : 0, body };
};

const catchUpBare = async (name: string, count: number): Promise<{ ms: number; bytes: number }> => {
  const indexes = ['orderId', 'ticketId', 'state', 'needsPerson'];
  const bare = await openBareDatabase(`${name}-bare`, 'id', indexes);
  const read = async (cursor: string): Promise<number> => {
    const answer = await fetch(`/bench/feed?count=${String(count)}`, {
      headers: { 'last-event-id': cursor },
    });
    const text = await answer.text();
    const rows = text
      .split('\n')
      .filter((line) => line.startsWith('data: {"id"'))
      .map(rowOf);
    await bare.put(rows, 'relaxed');
    return text.length;
  };
  // Both change rows that are there already.
  await read('');
  let bytes = 0;
  const ms = await timed(async () => (bytes = await read('c-start')));
  bare.drop();
  return { ms, bytes };
};

/** From opening, with a device that knows an older version of each operation, to the last change readable here. */
const catchUp = async (name: string, count: number): Promise<CaughtUp> => {
  const { ms: bareMs, bytes: heardBytes } = await catchUpBare(name, count);
  await tell(`/bench/feed-of?count=${String(count)}`);
  const lastId = await (await fetch(`/bench/last-id?count=${String(count)}`)).text();
  const first = createBrowserOutbox({ name });
  await first.start({ subject });
  await untilRead(first, { of: 'operation', operationId: lastId }, ({ synced }) => synced?.version === 1);
  await untilRead(first, { of: 'connectivity' }, ({ feed }) => feed === 'live');
  await first.stop();
  const outbox = createBrowserOutbox({ name });
  const before = transactionsSoFar();
  const productMs = await timed(async () => {
    await outbox.start({ subject });
    await untilRead(outbox, { of: 'operation', operationId: lastId }, ({ synced }) => synced?.version === 2);
  });
  const transactions = transactionsSince(before);
  await dropProduct(outbox, name);
  return { bareMs, productMs, transactions, heardBytes };
};

watchTransactions();
window.measures = { saved, drain, catchUp };
