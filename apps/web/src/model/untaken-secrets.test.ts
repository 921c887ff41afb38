import { expect, test } from 'vitest';
import { withoutSecret, withSecret } from './untaken-secrets.ts';

// Red when: a secret takes the place of one that was not copied.
test('a secret stays until it was copied, whatever is told after it', () => {
  const first = { whose: 'https://one.example', secret: 'whsec_1' };
  const second = { whose: 'https://two.example', secret: 'whsec_2' };
  const both = withSecret(withSecret([], first), second);
  expect(both).toEqual([first, second]);
  expect(withoutSecret(both, 'whsec_2')).toEqual([first]);
});
