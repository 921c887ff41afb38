import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMint, sampleOperation, sampleOrder } from '../../test/samples.ts';
import { createEventStreamParser } from './event-stream.ts';
import { batchOf } from './feed-batch.ts';

const read = (...pieces: string[]) => {
  const parser = createEventStreamParser();
  return pieces.flatMap((piece) => parser.push(piece));
};

describe('the event stream', () => {
  it('reads events, ids, several data lines, comments and each line end', () => {
    const text =
      ': hello\r\n\r\nevent: a\ndata: 1\nid: c-1\n\ndata:x\rdata: y\r\revent: reset\nid:\ndata: {}\n\n';
    expect(read(text, ' ')).toEqual([
      { event: 'a', data: '1', id: 'c-1' },
      { event: 'message', data: 'x\ny', id: null },
      { event: 'reset', data: '{}', id: '' },
    ]);
  });

  it('does not matter where the network cuts it', () => {
    const text = 'event: operation\r\ndata: {"ü":"€😀"}\r\nid: c-9\r\n\r\n: ping\n\ndata: 2\n\n';
    const whole = read(text);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
        const places = [0, ...[...cuts].sort((one, other) => one - other), text.length];
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
        expect(read(...pieces)).toEqual(whole);
      }),
    );
  });

  it('half an event at the end of a broken stream is no event', () => {
    expect(read('event: operation\ndata: {"id":1}\nid: c-5\n')).toEqual([]);
  });
});

describe('a batch of the feed', () => {
  const event = (name: string, data: unknown, id: string | null = null) => ({
    event: name,
    data: JSON.stringify(data),
    id,
  });
  const operation = sampleOperation(createMint()());

  it('holds what was told, with the last cursor', () => {
    const batch = batchOf([
      event('operation', operation, 'c-1'),
      event('order', sampleOrder(), 'c-2'),
      event('live', { generation: 'g-1' }),
    ]);
    expect(batch).toMatchObject({ cursor: 'c-2', live: 'g-1', reset: null, unreadable: [] });
    expect([batch.operations.length, batch.orders.length]).toEqual([1, 1]);
  });

  it('an event that does not fit is set aside, and the rest goes on past it', () => {
    const batch = batchOf([
      event('operation', { ...operation, state: 'levitating' }, 'c-1'),
      event('operation', operation, 'c-2'),
    ]);
    expect(batch.operations).toHaveLength(1);
    expect(batch.cursor).toBe('c-2');
    expect(batch.unreadable[0]?.raw).toContain('levitating');
  });

  it('an event of a kind that is not known is passed over', () => {
    expect(batchOf([event('weather', 'rain', 'c-3')])).toMatchObject({ cursor: 'c-3', unreadable: [] });
  });

  it('nothing after a reset counts, and an unreadable reset is a reset', () => {
    const batch = batchOf([
      event('reset', { reason: 'history-restored' }, ''),
      event('operation', operation),
    ]);
    expect(batch).toMatchObject({ reset: { reason: 'history-restored' }, operations: [], cursor: null });
    expect(batchOf([event('reset', 'what')]).reset).toEqual({ reason: 'cursor-unreadable' });
  });
});
