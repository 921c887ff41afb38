export const partNames = ['loop', 'burst', 'size', 'feed', 'first-load', 'outbox'] as const;
export type PartName = (typeof partNames)[number];

export type Settings = {
  readonly parts: readonly PartName[];
  /** Short runs: good for seeing that it works and for ratios, too short for a number to be quoted. */
  readonly quick: boolean;
  /** Where the result also goes as JSON. */
  readonly jsonFile: string | null;
  /** Take the server's profile although no aim was missed, and print it. */
  readonly profile: boolean;
  /** Keep the profile in this folder. */
  readonly profileFolder: string;
  readonly clients: number;
  /** Pairs of a bare and a product run; `null`: as many as the parts think right. */
  readonly rounds: number | null;
  /** Operations in the burst; `null`: as many as the part thinks right. */
  readonly burst: number | null;
};

export type Reading =
  | { readonly ok: true; readonly settings: Settings }
  /** `because` is `null` where only help was asked for. */
  | { readonly ok: false; readonly because: string | null };

export const usage = `pnpm bench [${partNames.join('|')} …] [options]   (without a part: all of them)
  --quick          short runs
  --json FILE      the result as JSON, too
  --profile        profile the server even when no aim was missed, and print what it shows
  --profiles DIR   where profiles are kept (default bench/results)
  --clients N      clients in the loop (default 32)
  --rounds N       pairs of a bare and a product run
  --burst N        operations in the burst (default 5000)`;

const isPart = (word: string): word is PartName => partNames.some((name) => name === word);

const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined;

/** Reads the words after `pnpm bench`. Pure. */
export const readArguments = (words: readonly string[]): Reading => {
  const parts: PartName[] = [];
  const read = { quick: false, profile: false };
  let jsonFile: string | null = null;
  let profileFolder = 'bench/results';
  let clients = 32;
  let rounds: number | null = null;
  let burst: number | null = null;
  const rest = words.values();
  const nextWord = (): string | undefined => rest.next().value;
  for (const word of rest) {
    if (word === '--help' || word === '-h') return { ok: false, because: null };
    if (isPart(word)) parts.push(word);
    else if (word === '--quick') read.quick = true;
    else if (word === '--profile') read.profile = true;
    else if (word === '--json' || word === '--profiles') {
      const file = nextWord();
      if (file === undefined || file.startsWith('--')) return { ok: false, because: `${word} needs a path` };
      if (word === '--json') jsonFile = file;
      else profileFolder = file;
    } else if (word === '--clients' || word === '--rounds' || word === '--burst') {
      const number = wholeNumber(nextWord());
      if (number === undefined) return { ok: false, because: `${word} needs a whole number above 0` };
      if (word === '--clients') clients = number;
      else if (word === '--rounds') rounds = number;
      else burst = number;
    } else if (word !== '--') return { ok: false, because: `there is no part or option "${word}"` };
  }
  const chosen = partNames.filter((name) => parts.length === 0 || parts.includes(name));
  return { ok: true, settings: { ...read, parts: chosen, jsonFile, profileFolder, clients, rounds, burst } };
};
