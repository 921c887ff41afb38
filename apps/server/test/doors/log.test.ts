import { describe, expect, it } from 'vitest';
import { loggableError, loggableFields } from '../../src/start/log.ts';

const logged = (error: unknown): string => JSON.stringify(loggableError(error));

describe('what is logged of an error', () => {
  // Red when: the database's own words are logged, as a trigger, a cast or a failed constraint chose them.
  it("is not the database's words, which repeat rows: its code, and the constraint's name", () => {
    const refused = Object.assign(new Error('invalid input for Ann Example'), {
      ...{ severity: 'ERROR', code: '23505', constraint_name: 'orders_pkey', detail: 'Key (Ann Example)' },
    });
    const query = new Error('Failed query: insert … params: Ann Example', { cause: refused });
    expect(logged(query)).not.toContain('Ann');
    expect(loggableError(query)).toMatchObject({
      message: 'a query failed',
      cause: { code: '23505', constraint: 'orders_pkey', message: 'the database refused it' },
    });
  });

  // Red when: a parser's message is logged with what it quotes, or an address stays in one.
  it('is not what a parser could not read, nor an address', () => {
    let parsed: unknown;
    try {
      JSON.parse('hf_secret of Ann');
    } catch (error) {
      parsed = error;
    }
    expect(logged(parsed)).not.toMatch(/secret|Ann/);
    expect(logged(new Error('550 no such user ann@example.test'))).not.toContain('example.test');
    expect(loggableError(new TypeError("reading 'id' of undefined"))).toMatchObject({
      message: "reading 'id' of undefined",
    });
  });

  // Red when: the message's lines are taken for places because they begin like one.
  it('has the places from its stack alone', () => {
    const { at } = loggableError(new Error('broken\n    at Ann Example')) as { at: string[] };
    expect(at.join()).not.toContain('Ann');
    expect(at[0]).toContain('log.test.ts');
  });

  // Red when: the worker's errors are logged as strings, or an `error` passes as it is.
  it("is the same of the worker's, beside the IDs they are about", () => {
    const error = Object.assign(new Error('row of Ann'), { severity: 'ERROR', code: 'P0001' });
    expect(loggableFields({ operationId: 'o-1', error })).toMatchObject({
      operationId: 'o-1',
      error: { code: 'P0001', message: 'the database refused it' },
    });
    expect(JSON.stringify(loggableFields({ error: 'Ann' }))).not.toContain('Ann');
  });
});
