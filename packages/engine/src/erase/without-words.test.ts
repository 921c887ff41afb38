import { expect, test } from 'vitest';
import { jsonWithoutWords, withoutWords } from './without-words.ts';

const erasure = {
  names: ['Zoë Quill-Ndiaye', 'Zoë'],
  addresses: ['zoe@quill.test'],
  pseudonym: 'Erased 1a2b',
};

// Red when: a part of another word is taken for the name, a sign in it for a pattern, or a spelling of the address is missed.
test('names go as whole words and addresses in any case, and nothing else does', () => {
  expect(withoutWords('Ask Zoë Quill-Ndiaye (ZOE@quill.test)!', erasure)).toBe(
    'Ask Erased 1a2b (Erased 1a2b)!',
  );
  expect(withoutWords('Zoë\nZoëtta zoë', erasure)).toBe('Erased 1a2b\nZoëtta zoë');
  expect(withoutWords('Zoë  Quill-Ndiaye', erasure)).toBe('Erased 1a2b');
  expect(withoutWords('A.B', { names: ['A.B', '$&'], addresses: [], pseudonym: '$1' })).toBe('$1');
  expect(withoutWords('AxB', { names: ['A.B'], addresses: [], pseudonym: 'x' })).toBe('AxB');
  expect(withoutWords('as it was', { names: [' '], addresses: [''], pseudonym: 'x' })).toBe('as it was');
});

test('they go through everything that JSON can hold, and keys stay', () => {
  expect(jsonWithoutWords({ Zoë: ['by Zoë', 1, null, { at: 'zoe@quill.test' }] }, erasure)).toEqual({
    Zoë: ['by Erased 1a2b', 1, null, { at: 'Erased 1a2b' }],
  });
});
