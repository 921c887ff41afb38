import { createAdaptorServer } from '@hono/node-server';
import type { FeedBatch, FeedChange } from '@holdfast/engine';
import { connect, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openEventStream } from '../src/http/event-stream.ts';
import { appRig, as, organisationId } from './app-rig.ts';
import { engineDouble } from './engine-double.ts';
import { readEvents } from './event-reader.ts';
import { eventually } from './eventually.ts';

const operator = as({ role: 'operator', via: 'ownerless-key' });

/** A feed in memory: `say` appends one change, cursors are positions. */
const memoryFeed = (resumable = true, mostAtOnce = 1_000) => {
  const changes: FeedChange[] = [];
  const watchers = new Set<() => void>();
  const resumed: string[] = [];
  const at = (cursor: string): number => Number(cursor.slice(1));
  const double = engineDouble({
    feed: {
      resume: (_who, cursor) => {
        resumed.push(cursor);
        return Promise.resolve(
          resumable
            ? { kind: 'resume' as const, cursor }
            : { kind: 'reset' as const, reason: 'cursor-too-old' as const },
        );
      },
      snapshot: async function* () {
        yield await Promise.resolve({ changes: [...changes], cursor: null });
        yield { changes: [], cursor: `c${String(changes.length)}` };
      },
      changesAfter: (_who, cursor, limit): Promise<FeedBatch> => {
        const found = changes.slice(at(cursor), at(cursor) + Math.min(limit, mostAtOnce));
        return Promise.resolve({ changes: found, cursor: `c${String(at(cursor) + found.length)}` });
      },
      watch: (_organisationId, wake) => {
        watchers.add(wake);
        return () => watchers.delete(wake);
      },
      generation: () => Promise.resolve('g1'),
    },
  });
  return {
    engine: double.engine,
    resumed,
    watchers,
    say: (name: string) => {
      changes.push({ event: 'ticket', data: { id: name } as never });
      for (const wake of watchers) wake();
    },
  };
};

const nameIn = (event: { data: string } | undefined): unknown =>
  (JSON.parse(event?.data ?? '{}') as { id?: unknown }).id;

describe('the feed', () => {
  it('begins with what is, without cursors, then `live` with the first one, then every change with one', async () => {
    const feed = memoryFeed();
    feed.say('before');
    const rig = appRig({ engine: feed.engine });
    const events = readEvents((await rig.ask('GET', '/v1/feed', { headers: operator })).body);
    const beginning = await events.until('live');
    expect(beginning.map(({ event, id }) => [event, id])).toEqual([
      ['ticket', undefined],
      ['live', 'c1'],
    ]);
    feed.say('after');
    const change = await events.next();
    expect([nameIn(change), change?.id]).toEqual(['after', 'c2']);
    await events.cancel();
    await eventually('the watcher to be let go', () => feed.watchers.size === 0);
  });

  it('resumes after the cursor without a gap and without `live`; Last-Event-ID wins over the address', async () => {
    const feed = memoryFeed();
    for (const name of ['one', 'two', 'three']) feed.say(name);
    const rig = appRig({ engine: feed.engine });
    const headers = { ...operator, 'last-event-id': 'c2' };
    const events = readEvents((await rig.ask('GET', '/v1/feed?cursor=c0', { headers })).body);
    const first = await events.next();
    expect([first?.event, nameIn(first), first?.id]).toEqual(['ticket', 'three', 'c3']);
    expect(feed.resumed).toEqual(['c2']);
    await events.cancel();
  });

  // Red when: a batch shorter than asked for counts as caught up (the rest then waits for the next heartbeat).
  it('a client far behind is told everything at once, also when a batch folds many changes into few', async () => {
    const feed = memoryFeed(true, 1);
    for (const name of ['one', 'two', 'three']) feed.say(name);
    const rig = appRig({ engine: feed.engine });
    const events = readEvents((await rig.ask('GET', '/v1/feed?cursor=c0', { headers: operator })).body);
    const told = [nameIn(await events.next()), nameIn(await events.next()), nameIn(await events.next())];
    expect(told).toEqual(['one', 'two', 'three']);
    await events.cancel();
    // Less than one heartbeat, which is what waiting for the next change would take.
  }, 8_000);

  it('within a batch, earlier events carry the cursor from before it: a cut in the middle brings it again', async () => {
    const feed = memoryFeed();
    for (const name of ['one', 'two', 'three']) feed.say(name);
    const rig = appRig({ engine: feed.engine });
    const events = readEvents((await rig.ask('GET', '/v1/feed?cursor=c1', { headers: operator })).body);
    const [two, three] = [await events.next(), await events.next()];
    expect([two?.id, three?.id]).toEqual(['c1', 'c3']);
    await events.cancel();
  });

  it('answers a cursor that cannot be used with `reset` and an empty ID, and starts over', async () => {
    const feed = memoryFeed(false);
    feed.say('one');
    const rig = appRig({ engine: feed.engine });
    const events = readEvents((await rig.ask('GET', '/v1/feed?cursor=c0', { headers: operator })).body);
    const seen = await events.until('live');
    expect(seen.map(({ event, id }) => [event, id])).toEqual([
      ['reset', ''],
      ['ticket', undefined],
      ['live', 'c1'],
    ]);
    expect(JSON.parse(seen[0]?.data ?? '')).toEqual({ reason: 'cursor-too-old' });
    await events.cancel();
  });

  /** All of an answer that has to end by itself. */
  const wholeAnswer = async (rig: ReturnType<typeof appRig>, target: string, cursor?: string) => {
    const headers = { ...operator, ...(cursor !== undefined && { 'last-event-id': cursor }) };
    const events = readEvents((await rig.ask('GET', target, { headers })).body);
    const seen: (readonly [string, unknown, string | undefined])[] = [];
    for (let next = await events.next(); next !== undefined; next = await events.next())
      seen.push([next.event, nameIn(next), next.id]);
    return seen;
  };

  // Red when: `untilCaughtUp` is not looked at, or the end comes at the first short batch.
  it('`until=caught-up` tells all that is new, says `live` with the cursor, and ends', async () => {
    const feed = memoryFeed(true, 1);
    for (const name of ['one', 'two', 'three']) feed.say(name);
    const rig = appRig({ engine: feed.engine });
    expect(await wholeAnswer(rig, '/v1/feed?until=caught-up')).toEqual([
      ...['one', 'two', 'three'].map((name) => ['ticket', name, undefined]),
      ['live', undefined, 'c3'],
    ]);
    expect(await wholeAnswer(rig, '/v1/feed?until=caught-up', 'c1')).toEqual([
      ['ticket', 'two', 'c2'],
      ['ticket', 'three', 'c3'],
      ['live', undefined, 'c3'],
    ]);
    expect(await wholeAnswer(rig, '/v1/feed?until=caught-up&cursor=c3')).toEqual([['live', undefined, 'c3']]);
    expect((await rig.ask('GET', '/v1/feed?until=later', { headers: operator })).status).toBe(422);
    expect(feed.watchers.size).toBe(0);
  });

  it('`until=caught-up` with a cursor that cannot be used: `reset`, everything anew, `live`, and the end', async () => {
    const feed = memoryFeed(false);
    feed.say('one');
    const seen = await wholeAnswer(appRig({ engine: feed.engine }), '/v1/feed?until=caught-up', 'c0');
    expect(seen).toEqual([
      ['reset', undefined, ''],
      ['ticket', 'one', undefined],
      ['live', undefined, 'c1'],
    ]);
  });

  // Red when: `stillAllowed` is not asked, or `recheck` does not ring.
  it('ends when the role is taken away, without a further event', async () => {
    const feed = memoryFeed();
    let role: 'operator' | 'agent' = 'operator';
    const identify = () =>
      Promise.resolve({
        principal: {
          organisationId,
          actor: { id: 'p', name: 'P', role, assistant: false, via: 'session' as const },
        },
        subject: 'p',
        credential: 'person p',
        byCookie: true,
      });
    const rig = appRig({ engine: feed.engine, identify });
    const events = readEvents((await rig.ask('GET', '/v1/feed')).body);
    await events.until('live');
    role = 'agent';
    rig.streams.recheck();
    feed.say('not for them');
    expect(await events.next()).toBeUndefined();
  });

  it('is sent so that proxies neither hold it back nor change it', async () => {
    const rig = appRig({ engine: memoryFeed().engine });
    const response = await rig.ask('GET', '/v1/feed', { headers: operator });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toContain('no-transform');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    rig.streams.closeAll();
  });

  it('says that it is still there while nothing happens', async () => {
    const stream = openEventStream(
      (writer) =>
        new Promise((resolve) => {
          writer.onClose(resolve);
        }),
      5,
      () => undefined,
    );
    const events = readEvents(stream.response.body);
    const end = events.next();
    await eventually('three comments', () => events.comments() >= 3);
    stream.close();
    expect(await end).toBeUndefined();
  });

  it('a reader that does not read holds the writer back, not the memory', async () => {
    let sent = 0;
    const stream = openEventStream(
      async (writer) => {
        while (!writer.closed() && sent < 1_000) {
          await writer.send([{ event: 'ticket', data: 'x'.repeat(100_000) }]);
          sent += 1;
        }
      },
      1_000,
      () => undefined,
    );
    await eventually('the writer to wait', () => sent >= 2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toBeLessThan(10);
    stream.close();
  });
});

describe('the feed over HTTP/2', () => {
  // Red when: the stream sets `Transfer-Encoding`, as helpers for such streams do: with HTTP/2 that throws.
  it('streams, survives a reader that leaves, and the server goes on', async () => {
    const feed = memoryFeed();
    const rig = appRig({ engine: feed.engine });
    const server = createAdaptorServer({ fetch: rig.app.fetch, createServer }) as Http2Server;
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const session = connect(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
    try {
      for (let round = 0; round < 2; round += 1) {
        const request = session.request({ ':path': '/v1/feed', ...operator });
        const events = readEvents(Readable.toWeb(request) as ReadableStream<Uint8Array>);
        await events.until('live');
        feed.say(`round ${String(round)}`);
        expect(nameIn(await events.next())).toBe(`round ${String(round)}`);
        request.close();
        await events.cancel().catch(() => undefined);
        await eventually('the stream to be let go', () => feed.watchers.size === 0);
      }
      expect(rig.failures).toEqual([]);
    } finally {
      session.destroy();
      rig.streams.closeAll();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    }
  });
});
