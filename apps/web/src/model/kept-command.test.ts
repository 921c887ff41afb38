import { expect, test } from 'vitest';
import { keptCommands } from './kept-command.ts';

const commands = () => {
  let minted = 0;
  return keptCommands(() => `command-${String((minted += 1))}`);
};

// Red when: each press mints an ID of its own: a comment whose answer was lost is written twice.
test('a comment keeps its command until it is answered, also where its text is changed meanwhile', () => {
  const kept = commands();
  const first = kept.of('one', { act: 'comment', text: 'Called the bank.' });
  kept.ended(first, { kind: 'unreachable' });
  expect(kept.of('one', { act: 'comment', text: 'Called the bank.' })).toBe(first);
  kept.ended(first, { kind: 'refused', status: 503, problem: null });
  expect(kept.of('one', { act: 'comment', text: 'Called the bank twice.' })).toBe(first);
  kept.ended(first, { kind: 'answer', value: null });
  expect(kept.of('one', { act: 'comment', text: 'Called the bank.' })).not.toBe(first);
});

test('a refusal that stands is an answer: the next press is another command', () => {
  const kept = commands();
  const first = kept.of('one', { act: 'comment', text: 'Called the bank.' });
  kept.ended(first, { kind: 'refused', status: 422, problem: null });
  expect(kept.of('one', { act: 'comment', text: 'Called the bank.' })).not.toBe(first);
});

test('a comment begun anew is another command, and so is another act', () => {
  const kept = commands();
  const first = kept.of('one', { act: 'comment', text: 'Called the bank.' });
  const taken = kept.of('one', { act: 'take' });
  expect(taken).not.toBe(first);
  expect(kept.of('another', { act: 'take' })).not.toBe(taken);
  kept.commentBegunAnew();
  expect(kept.of('one', { act: 'comment', text: 'Written.' })).not.toBe(first);
  expect(kept.of('one', { act: 'take' })).toBe(taken);
  expect(kept.of('one', { act: 'take', from: 'olga' })).not.toBe(taken);
});
