import { describe, expect, it } from 'vitest';
import { isTimeJump } from './time-jump.ts';

const tickMs = 60_000;
const dayMs = 86_400_000;
const before = { wallMs: 1_764_000_000_000, steadyMs: 5_000 };

// Red when: either of the two comparisons is left out.
describe('a jump in time', () => {
  it.each([
    ['a tick in time', tickMs, tickMs, false],
    ['a tick that the browser held back in a hidden tab', 1.9 * tickMs, 1.9 * tickMs, false],
    ['a tick that came far too late', 3 * tickMs, 3 * tickMs, true],
    ['a sleep that the steady clock did not count', dayMs, tickMs, true],
    ['a clock set back by a day', tickMs - dayMs, tickMs, true],
    ['a clock set forward by a day', tickMs + dayMs, tickMs, true],
    ['a clock put right by a second', tickMs + 1_000, tickMs, false],
  ])('%s', (_name, wallMs, steadyMs, isJump) => {
    const now = { wallMs: before.wallMs + wallMs, steadyMs: before.steadyMs + steadyMs };
    expect(isTimeJump(before, now, tickMs)).toBe(isJump);
  });
});
