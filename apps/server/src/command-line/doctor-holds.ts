import { restoreGaps } from '@holdfast/operation';
import type { Check } from './doctor.ts';
import { gapText, holdLine } from './hold-line.ts';
import type { Workplace } from './workplace.ts';

/** Organisations in which nothing is submitted: somebody's choice, or what a restore leaves to be looked at. */
export const examineHolds = async ({ engine, store }: Workplace): Promise<Check[]> => {
  const found: Check[] = [];
  for (const { id, name } of await store.organisations()) {
    const standing = await engine.hold.standing(id);
    if (!standing.on) continue;
    const gaps = restoreGaps(standing).map((gap) => gapText[gap]);
    found.push({
      check: 'hold',
      ok: true,
      note: true,
      finding: `${name}: ${holdLine({ ...standing, by: standing.by?.name ?? standing.by?.id ?? null })}${gaps.length === 0 ? '' : ` It was put back, and ${gaps.join(', and ')}.`}`,
      remedy: 'Look at what waits in the app (Hold), or see `holdfast unresolved` and `holdfast sweep`.',
    });
  }
  return found;
};
