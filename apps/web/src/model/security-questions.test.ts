import { expect, test } from 'vitest';
import { neededFirst, whyNotHere, type PasskeyHome } from './security-questions.ts';

const home: PasskeyHome = { possible: true, origin: 'http://localhost:4780' };

// Red when: `whyNotHere` compares nothing, or asks the browser before it looks at the address.
test('where a passkey cannot be made, the reason is the one that a person can do something about', () => {
  expect(whyNotHere(home, 'http://localhost:4780', true)).toBeNull();
  // Another port of the same name is the same relying party.
  expect(whyNotHere(home, 'http://localhost:9000', true)).toBeNull();
  expect(whyNotHere(home, 'http://127.0.0.1:4780', true)).toBe('another-address');
  expect(whyNotHere(home, 'http://127.0.0.1:4780', false)).toBe('another-address');
  expect(whyNotHere(home, 'http://localhost:4780', false)).toBe('no-browser');
  const numbered: PasskeyHome = {
    possible: false,
    origin: 'http://127.0.0.1:1',
    because: 'address-is-a-number',
  };
  expect(whyNotHere(numbered, 'http://127.0.0.1:1', true)).toBe('address-is-a-number');
});

// Red when: `neededFirst` takes any text for a need, or reads it from an answer that is no refusal.
test('only a refusal that names a need of the list asks for a confirmation', () => {
  const refused = (needs: unknown) =>
    ({
      kind: 'refused',
      status: 403,
      problem: { type: '', title: '', status: 403, detail: '', final: false, needs },
    }) as const;
  expect(neededFirst(refused('confirm'))).toBe('confirm');
  expect(neededFirst(refused('confirm-with-passkey'))).toBe('confirm-with-passkey');
  expect(neededFirst(refused('anything'))).toBeNull();
  expect(neededFirst({ kind: 'refused', status: 500, problem: null })).toBeNull();
  expect(neededFirst({ kind: 'unreachable' })).toBeNull();
});
