import { describe, expect, test } from 'vitest';
import { createOverload } from '../src/http/overload.ts';
import { limitsFor } from '../src/http/overload-decision.ts';
import { as, appRig, type AppRig } from './app-rig.ts';
import { engineDouble } from './engine-double.ts';
import { eventually } from './eventually.ts';

const connections = 4;
const { request: limits } = limitsFor(connections);

/** An app whose database takes as long as the test likes. */
const slowRig = (
  isDatabaseAnswering: () => Promise<boolean> = () => Promise.resolve(true),
): AppRig & { readonly release: () => void; readonly began: () => number } => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let began = 0;
  const { engine } = engineDouble({
    listOperations: async () => {
      began += 1;
      await held;
      return { items: [], nextCursor: null };
    },
  });
  const overload = createOverload({
    connections,
    isDatabaseAnswering,
    nowMs: Date.now,
    chance: () => 0.5,
    suspiciousAfterMs: 10,
  });
  return { ...appRig({ engine, overload }), release, began: () => began };
};

const list = (rig: AppRig): Promise<Response> =>
  rig.ask('GET', '/v1/operations', { headers: as({ role: 'agent' }) });

describe('more is asked than the server can do', () => {
  test('the surplus is told to come back, what was let in is served, and health and webhooks are answered meanwhile', async () => {
    // Red when: the line has no end, webhooks take requests' places, or /healthz waits in line.
    const rig = slowRig();
    const asked = Array.from({ length: limits.inWork + limits.waiting + 10 }, () => list(rig));
    await eventually('all places are taken', () => rig.began() === limits.inWork);
    const turnedAway = await Promise.race(asked);
    expect(turnedAway.status).toBe(503);
    expect(turnedAway.headers.get('content-type')).toBe('application/problem+json');
    expect(await turnedAway.json()).toMatchObject({ status: 503, final: false });
    expect((await rig.ask('GET', '/healthz')).status).toBe(200);
    // Judged, not turned away: its signature is none.
    expect((await rig.ask('POST', '/v1/webhooks/stripe', { text: '{}' })).status).toBe(400);
    rig.release();
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(10);
    expect(statuses.filter((status) => status === 200)).toHaveLength(limits.inWork + limits.waiting);
    expect((await list(rig)).status).toBe(200);
  });

  test('what is refused at once gives its place back, however often it is asked', async () => {
    // Red when: a handler that throws before it waits for anything keeps its place for ever. Whoever opened the
    // sign-in page of a house without a demo ten times had then closed it for everybody.
    const rig = slowRig();
    rig.release();
    for (let asked = 0; asked < limits.inWork + 1; asked += 1) {
      expect((await rig.ask('GET', '/v1/demo')).status).toBe(404);
    }
    expect((await list(rig)).status).toBe(200);
  });

  test('a request that was let in once already is not turned away by newcomers', async () => {
    // Red when: a full line turns away also who stands at its head.
    const overload = createOverload({
      connections: 2,
      isDatabaseAnswering: () => Promise.resolve(true),
      nowMs: () => 0,
      chance: () => 0,
    });
    let release = (): void => undefined;
    const held = new Promise<string>((resolve) => {
      release = () => {
        resolve('done');
      };
    });
    const { inWork, waiting } = limitsFor(2).request;
    const newcomers = Array.from({ length: inWork + waiting }, () => overload.during('request', () => held));
    const goingOn = overload.during('request-going-on', () => Promise.resolve('served'));
    release();
    expect(await goingOn).toBe('served');
    expect(await Promise.all(newcomers)).toHaveLength(inWork + waiting);
  });

  test('a database that does not answer is a 503 and no hang; what was begun keeps its place until it ends', async () => {
    // Red when: nobody looks whether the database answers, or a place is freed while its work goes on.
    const rig = slowRig(() => Promise.resolve(false));
    const asked = await Promise.all(Array.from({ length: limits.inWork }, () => list(rig)));
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 503));
    for (const answer of asked) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const next = list(rig);
    expect(rig.began()).toBe(limits.inWork);
    rig.release();
    expect((await next).status).toBe(200);
  });

  test('work that takes long is waited for as long as the database answers', async () => {
    // Red when: a long batch is cut off by its length alone.
    let looked = 0;
    const rig = slowRig(() => {
      looked += 1;
      return Promise.resolve(true);
    });
    const asked = list(rig);
    await eventually('it was looked twice', () => looked >= 2);
    rig.release();
    expect((await asked).status).toBe(200);
  });
});

describe('event streams', () => {
  test('are bounded by a setting, with an answer that says so; a stream that ends makes room', async () => {
    // Red when: `isFull` is not asked, or a stream that was ended by its reader is still counted.
    const rig = appRig({ engine: engineDouble().engine, mostStreams: 1 });
    const open = (): Promise<Response> => rig.ask('GET', '/v1/feed', { headers: as({ role: 'agent' }) });
    const first = await open();
    expect(first.status).toBe(200);
    const second = await open();
    expect(second.status).toBe(503);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await first.body?.cancel();
    const third = await open();
    expect(third.status).toBe(200);
    await third.body?.cancel();
  });
});
