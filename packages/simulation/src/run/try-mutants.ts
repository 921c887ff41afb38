import { huntMutants, partOf, type Hunted, type HuntOptions } from '../mutants/hunt-mutants.ts';
import { mutants } from '../mutants/mutants.ts';

const histories = (count: number): string => (count === 1 ? '1 history' : `${String(count)} histories`);

const tell = ({ mutant, found, histories: count, seed, because }: Hunted): string =>
  found
    ? `found   ${mutant.name}: in ${histories(count)} (seed ${String(seed)}${mutant.swarm === undefined ? '' : `, ${mutant.swarm}`}): ${because}`
    : `MISSED  ${mutant.name}: in ${histories(count)}: ${because}`;

/**
 * Plants every known mistake, or those of one part of them, or the one named, and lives histories until each is found.
 * @returns whether every one was
 */
export const tryMutants = async (
  options: HuntOptions,
  only: string | undefined,
  part: readonly [number, number],
  say: (line: string) => void,
): Promise<boolean> => {
  const named = mutants.filter(({ name }) => only === undefined || name.includes(only));
  const chosen = partOf(named, part);
  if (chosen.length === 0) throw new Error(`there is no mutant "${only ?? ''}"`);
  const all = await huntMutants(chosen, options, (hunted) => {
    say(tell(hunted));
  });
  const missed = all.filter(({ found }) => !found);
  const ofSql = all.filter(({ mutant, found }) => found && mutant.sql === true).length;
  say(
    `${String(all.length - missed.length)} of ${String(all.length)} mutants found, ${String(ofSql)} of them in SQL; ${histories(options.seeds)} each at most, from seed ${String(options.from)}`,
  );
  return missed.length === 0;
};
