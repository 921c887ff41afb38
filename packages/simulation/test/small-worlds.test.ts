import { expect, test } from 'vitest';
import { explore, smallWorlds } from '../src/exhaustive/explore-all.ts';
import { beginning } from '../src/exhaustive/small-world.ts';

const none = { crashes: 0, events: 0, looks: 0, byHand: 0, lateFailures: 0, people: 0, attempts: 2 };

test.each([
  { name: 'a crash and a refund by hand', left: { ...none, crashes: 1, byHand: 1 } },
  { name: 'a look-up and a refund by hand', left: { ...none, looks: 1, byHand: 1 } },
  { name: 'two events and a late failure', left: { ...none, events: 2, lateFailures: 1 } },
  { name: 'people, a look-up and an event', left: { ...none, looks: 1, events: 1, people: 1, attempts: 1 } },
])('in every order of everything, no promise is broken: $name', ({ left }) => {
  // Red when: an ambiguous attempt is settled by the refusal of another, an unknown outcome holds no money, …
  const { broken, states } = explore(beginning(left));
  expect(broken).toBeNull();
  expect(states).toBeGreaterThan(1_000);
});

test('the worlds of `pnpm sim --exhaustive` have what may go wrong in them', () => {
  const some = (what: keyof typeof none): boolean => smallWorlds.some(({ left }) => left[what] > 0);
  expect((Object.keys(none) as (keyof typeof none)[]).filter((what) => !some(what))).toEqual([]);
});
