import { spawn } from 'node:child_process';
import path from 'node:path';
import { exitCodes } from '../run/exit-codes.ts';
import type { Mutant } from './mutant.ts';

export type Hunted = {
  readonly mutant: Mutant;
  readonly found: boolean;
  /** How many histories it took, as far as the run said. */
  readonly histories: number;
  readonly seed: number | null;
  /** What was broken, or how the run ended instead. */
  readonly because: string;
};

const folder = import.meta.dirname;
const commandLine = path.join(folder, '..', 'run', 'command-line.ts');
const findings = [exitCodes.safety, exitCodes.liveness, exitCodes.crash];

type Run = { readonly code: number | null; readonly said: string };

const live = (mutant: Mutant | null, seeds: number, from: number): Promise<Run> =>
  new Promise((resolve) => {
    const plant = mutant === null ? [] : ['--import', path.join(folder, 'plant-mutant.ts')];
    const child = spawn(
      process.execPath,
      [...plant, commandLine, '--seeds', String(seeds), '--from', String(from), '--no-shrink'],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...(mutant === null ? {} : { HOLDFAST_MUTANT: mutant.name }) },
      },
    );
    let said = '';
    const hear = (bytes: Buffer): void => {
      said += bytes.toString();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('close', (code) => {
      resolve({ code, said });
    });
  });

const broken = /seed (\d+) breaks (.*)/;

/** The first seed from here on that breaks with the mutant and not without it; a history that breaks anyway finds nothing. */
const hunt = async (mutant: Mutant, seeds: number, from: number): Promise<Hunted> => {
  const until = from + seeds;
  let next = from;
  let because = 'nothing was broken';
  while (next < until) {
    const { code, said } = await live(mutant, until - next, next);
    const [, told, what] = broken.exec(said) ?? [];
    if (!findings.includes(code ?? -1) || told === undefined) {
      if (code !== exitCodes.clean) because = said.slice(-400);
      break;
    }
    const seed = Number(told);
    if ((await live(null, 1, seed)).code === exitCodes.clean) {
      return { mutant, found: true, seed, histories: seed - from + 1, because: what ?? '' };
    }
    because = `seed ${told} breaks without it too`;
    next = seed + 1;
  }
  return { mutant, found: false, histories: seeds, seed: null, because };
};

/** Plants each mutant in a process of its own, several at once, and lives histories until one breaks. */
export const huntMutants = async (
  mutants: readonly Mutant[],
  { seeds, from, lanes }: { readonly seeds: number; readonly from: number; readonly lanes: number },
  onHunted: (hunted: Hunted) => void,
): Promise<readonly Hunted[]> => {
  const waiting = mutants.values();
  const all: Hunted[] = [];
  const lane = async (): Promise<void> => {
    for (const mutant of waiting) {
      // A seed that is known to find it is tried by itself first.
      const known = mutant.seed === undefined ? undefined : await hunt(mutant, 1, mutant.seed);
      const hunted = known?.found === true ? known : await hunt(mutant, seeds, from);
      all.push(hunted);
      onHunted(hunted);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return all;
};
