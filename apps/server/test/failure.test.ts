import { expect, test } from 'vitest';
import { failureResponse } from '../src/http/failure.ts';

const answerTo = async (
  code: string,
): Promise<{ readonly status: number; readonly final: unknown; readonly retryAfter: string | null }> => {
  const cause = Object.assign(new Error('from the database'), { code });
  const response = failureResponse(
    new Error('a query failed', { cause }),
    () => undefined,
    () => '7',
  );
  const body: unknown = await response.json();
  const final = typeof body === 'object' && body !== null && 'final' in body ? body.final : undefined;
  return { status: response.status, final, retryAfter: response.headers.get('retry-after') };
};

// Red when: the code is taken out of `isCollision` or `awayCodes`, or the time to come back is left out.
test.each([
  ['a deadlock', '40P01'],
  ['a serialization failure', '40001'],
  ['a database that shuts down', '57P01'],
  ['a lock that was waited for too long', '55P03'],
  ['a statement that took too long', '57014'],
  ['a transaction that took too long', '25P04'],
])('%s is answered with "unavailable": the same request again can help', async (_name, code) => {
  expect(await answerTo(code)).toEqual({ status: 503, final: false, retryAfter: '7' });
});

test('a mistake of ours is not passed off as the database being away', async () => {
  expect(await answerTo('23505')).toMatchObject({ status: 500 });
});
