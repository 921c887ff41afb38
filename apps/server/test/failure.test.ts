import { expect, test } from 'vitest';
import { failureResponse } from '../src/http/failure.ts';

const answerTo = async (code: string): Promise<{ readonly status: number; readonly final: unknown }> => {
  const cause = Object.assign(new Error('from the database'), { code });
  const response = failureResponse(new Error('a query failed', { cause }), () => undefined);
  const body: unknown = await response.json();
  const final = typeof body === 'object' && body !== null && 'final' in body ? body.final : undefined;
  return { status: response.status, final };
};

// Red when: the code is taken out of `isCollision` or `awayCodes`.
test.each([
  ['a deadlock', '40P01'],
  ['a serialization failure', '40001'],
  ['a database that shuts down', '57P01'],
])('%s is answered with "unavailable": the same request again can help', async (_name, code) => {
  expect(await answerTo(code)).toEqual({ status: 503, final: false });
});

test('a mistake of ours is not passed off as the database being away', async () => {
  expect(await answerTo('23505')).toMatchObject({ status: 500 });
});
