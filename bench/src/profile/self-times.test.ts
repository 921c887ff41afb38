import { expect, test } from 'vitest';
import { after, functionsBySelfTime, ownersBySelfTime, type CpuProfile } from './self-times.ts';

const frame = (id: number, functionName: string, url: string): CpuProfile['nodes'][number] => ({
  id,
  callFrame: { functionName, url, lineNumber: 9 },
});
const drizzle = 'file:///x/node_modules/.pnpm/drizzle-orm@0.45.4/node_modules/drizzle-orm/sql.js';
const profile: CpuProfile = {
  nodes: [
    frame(1, '(idle)', ''),
    frame(2, 'build', drizzle),
    frame(3, 'claim', 'file:///x/packages/engine/src/claim.ts'),
    frame(4, 'is', drizzle),
  ],
  samples: [2, 1, 3, 2, 4],
  timeDeltas: [10, 500, 30, 40, 20],
};

// Red when: idle time counts as work, or a package's two functions are not added up under its name.
test('self time is by function and by owner, and waiting is no work', () => {
  expect(functionsBySelfTime(profile).map(({ name, seconds }) => [name, Math.round(seconds * 1e6)])).toEqual([
    ['build  drizzle-orm sql.js:10', 50],
    ['claim  packages/engine claim.ts:10', 30],
    ['is  drizzle-orm sql.js:10', 20],
  ]);
  expect(ownersBySelfTime(profile).map(({ name, share }) => [name, share])).toEqual([
    ['drizzle-orm', 0.7],
    ['packages/engine', 0.3],
  ]);
});

// Red when: the samples and their times are cut at different places.
test('what happened before work began is left out', () => {
  expect(functionsBySelfTime(after(profile, 515e-6)).map(({ name }) => name.split(' ')[0])).toEqual([
    'build',
    'claim',
    'is',
  ]);
  expect(after(profile, 515e-6).samples).toEqual([3, 2, 4]);
  expect(after(profile, 1).samples).toEqual([]);
});
