import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { accountSecretsIn, readLines } from './standard-input.ts';

const read = async (text: string) => accountSecretsIn(await readLines(Readable.from([text])));

// Red when: empty lines or the space around a line are taken for secrets.
it('a provider key and its webhook secrets are read one a line, whatever ends a line', async () => {
  expect(await read('sk_test_1\r\n\n  whsec_12345678 \nwhsec_87654321')).toEqual({
    secretKey: 'sk_test_1',
    webhookSecrets: ['whsec_12345678', 'whsec_87654321'],
  });
});

// Red when: one of the three guards of `accountSecretsIn` is left out.
it.each([
  ['nothing', '\n', /no provider key/],
  ['something else', 'hello\n', /not a provider key/],
  ['a secret with a space in it', 'sk_test_a\nwhsec_1 2345678\n', /Line 2/],
])('%s on standard input is refused, and not repeated', async (_what, input, says) => {
  const refused = await read(input).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: 'StartProblem', message: expect.stringMatching(says) });
  expect(String(refused)).not.toMatch(/hello|2345678/);
});
