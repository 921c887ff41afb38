import { expect, test } from 'vitest';
import { partNames, readArguments } from './arguments.ts';

const settingsOf = (...words: string[]) => {
  const reading = readArguments(words);
  return reading.ok ? reading.settings : (reading.because ?? 'help');
};

// Red when: a part that is named adds to all parts instead of standing alone.
test('without a part all are measured, else those that are named, in the order of the house', () => {
  expect(settingsOf()).toMatchObject({ parts: partNames, quick: false, clients: 32 });
  expect(settingsOf('burst', 'loop', '--quick')).toMatchObject({ parts: ['loop', 'burst'], quick: true });
  expect(settingsOf('--', 'feed')).toMatchObject({ parts: ['feed'] });
});

// Red when: an option without its value takes the next option for one, or a wrong word is passed over.
test('what cannot be read is said, and nothing is guessed', () => {
  expect(settingsOf('loops')).toBe('there is no part or option "loops"');
  expect(settingsOf('--json', '--quick')).toBe('--json needs a path');
  expect(settingsOf('loop', '--help')).toBe('help');
  expect(settingsOf('--rounds', '0')).toBe('--rounds needs a whole number above 0');
  expect(settingsOf('--rounds', '3', '--json', 'out.json')).toMatchObject({
    rounds: 3,
    jsonFile: 'out.json',
  });
});
