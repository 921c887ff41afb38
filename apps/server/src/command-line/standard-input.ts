import type { AccountSecrets } from '../start/sealed-secrets.ts';
import { commandFailed } from './output.ts';

/** Far above any key and its webhook secrets. */
const mostBytes = 64 * 1024;

/** What stands on standard input, line by line, without empty lines and the space around each. */
export const readLines = async (input: NodeJS.ReadableStream): Promise<readonly string[]> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const part = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    chunks.push(part);
    bytes += part.length;
    if (bytes > mostBytes) throw commandFailed('Standard input is too long.', 'Give a key and its secrets.');
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
};

const keyShape = /^(sk|rk)_[\w-]+$/;
const shortestSecret = 8;

/** A provider key, then webhook secrets, one a line. What is wrong is said without repeating a line. */
export const accountSecretsIn = (lines: readonly string[]): AccountSecrets => {
  const [secretKey, ...webhookSecrets] = lines;
  if (secretKey === undefined) {
    throw commandFailed(
      'There is no provider key on standard input.',
      'Give the key on the first line and webhook secrets on the next ones, like: holdfast provider set --org ID < FILE.',
    );
  }
  if (!keyShape.test(secretKey)) {
    throw commandFailed(
      'The first line of standard input is not a provider key.',
      'It must be a secret or restricted key of Stripe (it begins with sk_ or rk_), alone on its line.',
    );
  }
  const bad = webhookSecrets.findIndex((secret) => secret.length < shortestSecret || /\s/.test(secret));
  if (bad >= 0) {
    throw commandFailed(
      `Line ${String(bad + 2)} of standard input is not a webhook secret.`,
      'A webhook secret looks like whsec_…; after the key there are such alone, one a line.',
    );
  }
  return { secretKey, webhookSecrets };
};
