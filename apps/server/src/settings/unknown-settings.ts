import { environmentSchema } from './environment.ts';

/** A variable that looks like a setting of ours and is none. `meant`: the one that it may be a misspelling of. */
export type UnknownSetting = { readonly name: string; readonly meant: string | null };

/** Those that are read elsewhere: by tests that kill processes, and by the server of a web developer. */
const knownElsewhere = ['HOLDFAST_CRASH_AT', 'HOLDFAST_DEV_SERVER', 'HOLDFAST_FLAKY_RUNS'];
const known = [...Object.keys(environmentSchema.shape), ...knownElsewhere];

/** Of letters that have to be put in, left out or changed: more than these make it another word. */
const mostSlips = 3;

/** How many letters have to be put in, left out or changed to make one of the other. */
const slipsBetween = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [place, against] of [...other].entries()) {
      const changed = (row[place] ?? 0) + (letter === against ? 0 : 1);
      next.push(Math.min(changed, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

/** Variables named like settings that nothing reads: whoever misspelt one believes that it is in force. */
export const unknownSettings = (variables: NodeJS.ProcessEnv): readonly UnknownSetting[] =>
  Object.keys(variables)
    .filter((name) => name.startsWith('HOLDFAST_') && !known.includes(name))
    .toSorted()
    .map((name) => {
      const [nearest] = known
        .map((setting) => ({ setting, slips: slipsBetween(name, setting) }))
        .toSorted((one, other) => one.slips - other.slips);
      return { name, meant: nearest !== undefined && nearest.slips <= mostSlips ? nearest.setting : null };
    });

export const unknownSettingText = ({ name, meant }: UnknownSetting): string =>
  `${name} is no setting of Holdfast, so it does nothing.${meant === null ? '' : ` Did you mean ${meant}?`}`;
