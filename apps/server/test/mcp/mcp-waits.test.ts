import type { Engine } from '@holdfast/engine';
import { describe, expect, it } from 'vitest';
import type { Identity } from '../../src/sign-in/identify.ts';
import { appRig, as, type RigOptions } from '../app-rig.ts';
import { engineDouble } from '../engine-double.ts';
import { eventually } from '../eventually.ts';
import { assistantOf } from './mcp-client.ts';

const idOf = (number: number) => `0195e000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const key = as({ role: 'agent', via: 'owned-key' });

/** An engine whose operations all wait until they are all done, and that wakes whoever watches. */
const waitingEngine = () => {
  const wakes = new Set<() => void>();
  const reads: (readonly string[])[] = [];
  let state = 'pending';
  const lookUp: Engine['lookUp'] = (_who, ids) => {
    reads.push(ids);
    const operation = {
      version: state === 'pending' ? 1 : 2,
      state,
      amount: null,
      sentence: `It is ${state}.`,
    };
    const entries = ids.map((id) => [id, { ...operation, id }] as const);
    return Promise.resolve({ operations: Object.fromEntries(entries) as never });
  };
  const plain = engineDouble().engine;
  const watch = (_organisationId: string, wake: () => void) => {
    wakes.add(wake);
    return () => wakes.delete(wake);
  };
  const { engine } = engineDouble({ lookUp, feed: { ...plain.feed, watch } });
  return {
    engine,
    reads,
    wakes,
    ring: () => {
      for (const wake of wakes) wake();
    },
    finish: () => {
      state = 'confirmed';
    },
  };
};

const callOf = (name: string, given: Record<string, unknown>, id = 1) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: given },
});

const rigOf = (options: RigOptions) => {
  const rig = appRig(options);
  const send = (body: unknown, signal?: AbortSignal, accept = 'application/json') =>
    rig.app.request('http://localhost:4780/mcp', {
      method: 'POST',
      headers: { ...key, accept },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  return { ...rig, send };
};

describe('a message at the assistants’ door', () => {
  // Red when: a batch is let in; with its own cancellation in it, it is never answered.
  it('is one a request: a batch is refused, whatever is in it, and nothing of it is done', async () => {
    const { engine, reads } = waitingEngine();
    const { send, streams } = rigOf({ engine, mostStreams: 1 });
    const wait = callOf('wait_for_outcome', { operationId: idOf(1), timeoutSeconds: 50 });
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    for (const batch of [
      [wait, cancel],
      Array.from({ length: 50 }, (_, id) => ({ ...wait, id })),
      [wait],
      [],
    ]) {
      const answer = await send(batch);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_600 } });
    }
    expect(reads).toEqual([]);
    expect(streams.isFull()).toBe(false);
  });

  // Red when: nothing ends a request but its own answer.
  it.each(['application/json', 'application/json, text/event-stream'])(
    'ends when its caller leaves, and takes no room any more (%s)',
    async (accept) => {
      let asked = 0;
      const never = (): Promise<never> => {
        asked += 1;
        return new Promise<never>(() => undefined);
      };
      const { engine } = engineDouble({ lookUp: never });
      const { send, streams } = rigOf({ engine, mostStreams: 1 });
      const gone = new AbortController();
      const answering = send(callOf('wait_for_outcome', { operationId: idOf(1) }), gone.signal, accept);
      await eventually('the wait', () => asked > 0);
      expect(streams.isFull()).toBe(true);
      gone.abort();
      await (await answering).text();
      expect(streams.isFull()).toBe(false);
    },
  );

  it.each(['application/json', 'application/json, text/event-stream'])(
    'ends after its longest time, however long what it asks for takes (%s)',
    async (accept) => {
      const { engine } = engineDouble({ lookUp: () => new Promise<never>(() => undefined) });
      const { send, streams } = rigOf({ engine, mostStreams: 1, mcpLongestMs: 100 });
      const answer = await send(callOf('wait_for_outcome', { operationId: idOf(1) }, 7), undefined, accept);
      const text = await answer.text();
      if (accept === 'application/json')
        expect(JSON.parse(text)).toMatchObject({ id: 7, error: { code: -32_603 } });
      expect(streams.isFull()).toBe(false);
    },
  );
});

describe('a wait at the assistants’ door', () => {
  const full = { outcome: 'not-known', mayRepeat: false, isError: true, retryAfterSeconds: 20 };

  // Red when: no room only means that there is no stream.
  it('is refused when there is no room, and the ones before it go on', async () => {
    const desk = waitingEngine();
    const { app, send } = rigOf({ engine: desk.engine, mostStreams: 3 });
    const waits = [1, 2, 3].map((id) =>
      send(callOf('wait_for_outcome', { operationId: idOf(id), timeoutSeconds: 50 })),
    );
    await eventually('three waits', () => desk.wakes.size === 3);
    const { call } = await assistantOf(app, key);
    expect(await call('wait_for_outcome', { operationId: idOf(4), timeoutSeconds: 50 })).toMatchObject(full);
    // What does not wait needs no such room.
    expect(await call('get_operation', { operationId: idOf(4) })).toMatchObject({ state: 'pending' });
    desk.finish();
    desk.ring();
    for (const wait of waits) expect(await (await wait).text()).toContain('confirmed');
    expect(await call('wait_for_outcome', { operationId: idOf(4) })).toMatchObject({ outcome: 'done' });
  });

  // Red when: each wait reads for itself, or a key may open as many as it likes.
  it('of one key is one of ten, and a change is one read for all of them', async () => {
    const desk = waitingEngine();
    const { app, send } = rigOf({ engine: desk.engine });
    const waits = Array.from({ length: 10 }, (_, id) =>
      send(callOf('wait_for_outcome', { operationId: idOf(id), timeoutSeconds: 50 })),
    );
    await eventually('ten waits', () => desk.wakes.size === 10 && new Set(desk.reads.flat()).size === 10);
    const { call } = await assistantOf(app, key);
    expect(await call('wait_for_outcome', { operationId: idOf(11) })).toMatchObject(full);
    const other = await assistantOf(app, as({ role: 'agent', via: 'owned-key', id: 'another' }));
    expect(await other.call('wait_for_outcome', { operationId: idOf(12), timeoutSeconds: 1 })).toMatchObject({
      outcome: 'under-way',
    });
    const before = desk.reads.length;
    desk.finish();
    desk.ring();
    for (const wait of waits) expect(await (await wait).text()).toContain('confirmed');
    // One, and those that the clock may have begun beside it.
    expect(desk.reads.length - before).toBeLessThan(4);
  });

  // Red when: only the beginning of a wait asks who it is.
  it('ends without a word of the operation when its key is revoked', async () => {
    const desk = waitingEngine();
    let works = true;
    const identity: Identity = {
      principal: {
        organisationId: 'organisation-1',
        actor: { id: 'a', name: 'Ada', role: 'agent', assistant: true, via: 'owned-key' },
      },
      ...{ subject: 'a', credential: 'key 1', byCookie: false },
    };
    const { app, streams } = rigOf({
      engine: desk.engine,
      identify: () => Promise.resolve(works ? identity : undefined),
    });
    const { call } = await assistantOf(app, key);
    const waiting = call('wait_for_outcome', { operationId: idOf(1), timeoutSeconds: 10 });
    await eventually('the first look', () => desk.reads.length > 0);
    works = false;
    desk.finish();
    streams.recheck();
    const told = await waiting;
    expect(told).toMatchObject({ outcome: 'refused', isError: true, problem: { slug: 'unauthenticated' } });
    expect(JSON.stringify(told)).not.toContain('confirmed');
  });

  // Red when: a wait trusts its key's rights for longer than a second where nobody tells it that they changed.
  it('ends also where the key was revoked by another process, which tells nobody here', async () => {
    const desk = waitingEngine();
    let works = true;
    const identity: Identity = {
      principal: {
        organisationId: 'organisation-1',
        actor: { id: 'a', name: 'Ada', role: 'agent', assistant: true, via: 'owned-key' },
      },
      ...{ subject: 'a', credential: 'key 1', byCookie: false },
    };
    const { app } = rigOf({
      engine: desk.engine,
      identify: () => Promise.resolve(works ? identity : undefined),
    });
    const { call } = await assistantOf(app, key);
    const waiting = call('wait_for_outcome', { operationId: idOf(1), timeoutSeconds: 10 });
    await eventually('the first look', () => desk.reads.length > 0);
    works = false;
    expect(await waiting).toMatchObject({ outcome: 'refused', problem: { slug: 'unauthenticated' } });
  });
});
