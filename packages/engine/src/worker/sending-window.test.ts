import { expect, test } from 'vitest';
import { createSendingWindow, type SendingWindow } from './sending-window.ts';

/** How many of so many that want to are let in before any of them leaves. */
const letIn = async (window: SendingWindow, wanted: number): Promise<number> => {
  let entered = 0;
  for (let one = 0; one < wanted; one += 1) void window.enter().then(() => (entered += 1));
  await new Promise((resolve) => setImmediate(resolve));
  return entered;
};

// Red when: the window begins at its largest.
test('an account that was never sent to gets few submissions at once', async () => {
  expect(await letIn(createSendingWindow(64), 100)).toBe(8);
});

// Red when: good answers do not make it larger, or nothing bounds it.
test('every eight good answers make room for one more, up to the width of the worker', async () => {
  const window = createSendingWindow(20);
  let entered = 0;
  for (let one = 0; one < 100; one += 1) void window.enter().then(() => (entered += 1));
  const after = async (what: () => void, times: number): Promise<number> => {
    for (let time = 0; time < times; time += 1) what();
    await new Promise((resolve) => setImmediate(resolve));
    return entered;
  };
  expect(await after(window.answered, 8)).toBe(8);
  // Nine places, one of them free: they are given away two at a time.
  expect(await after(window.leave, 1)).toBe(10);
  await after(window.answered, 500);
  const left = 1 + 8;
  expect((await after(window.leave, left - 1)) - left).toBe(20);
});

// Red when: a refusal leaves the window as it is.
test('after "too many" there are few at once again', async () => {
  const window = createSendingWindow(64);
  for (let answers = 0; answers < 500; answers += 1) window.answered();
  window.refused();
  expect(await letIn(window, 100)).toBe(8);
});

// Red when: each place that becomes free lets in the next one by itself, or more than all of its places are given away.
test('once all places were taken, the next ones are let in together, never more than there are places', async () => {
  const window = createSendingWindow(64);
  let entered = 0;
  for (let one = 0; one < 20; one += 1) void window.enter().then(() => (entered += 1));
  const afterLeaving = async (count: number): Promise<number> => {
    for (let left = 0; left < count; left += 1) window.leave();
    await new Promise((resolve) => setImmediate(resolve));
    return entered;
  };
  expect(await afterLeaving(0)).toBe(8);
  expect(await afterLeaving(1)).toBe(8);
  expect(await afterLeaving(1)).toBe(10);
  expect(await afterLeaving(8)).toBe(18);
  expect(await afterLeaving(8)).toBe(20);
});

// Red when: an account whose places are free keeps somebody waiting for more of them.
test('while not all places are taken, nobody waits', async () => {
  const window = createSendingWindow(8);
  expect(await letIn(window, 7)).toBe(7);
  expect(await letIn(window, 1)).toBe(1);
});
