import { availableParallelism } from 'node:os';
import { huntMutants, type Hunted } from '../mutants/hunt-mutants.ts';
import { mutants } from '../mutants/mutants.ts';

const tell = ({ mutant, found, histories, seed, because }: Hunted): string =>
  found
    ? `found   ${mutant.name}: in ${String(histories)} histories (seed ${String(seed)}): ${because}`
    : `MISSED  ${mutant.name}: in ${String(histories)} histories: ${because}`;

/**
 * Plants every known mistake and lives histories until each is found.
 * @returns whether every one was
 */
export const tryMutants = async (
  seeds: number,
  from: number,
  say: (line: string) => void,
): Promise<boolean> => {
  const lanes = Math.max(1, availableParallelism());
  const all = await huntMutants(mutants, { seeds, from, lanes }, (hunted) => {
    say(tell(hunted));
  });
  const missed = all.filter(({ found }) => !found);
  const ofSql = all.filter(({ mutant, found }) => found && mutant.sql === true).length;
  say(
    `${String(all.length - missed.length)} of ${String(all.length)} mutants found, ${String(ofSql)} of them in SQL; ${String(seeds)} histories each at most, from seed ${String(from)}`,
  );
  return missed.length === 0;
};
