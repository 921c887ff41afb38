import { formatAmount, minorUnitDigits, type Amount } from '@holdfast/operation';
import { StartProblem } from '../settings/start-problem.ts';

/** Where a command's words go. Results on standard output, everything else on standard error. */
export type Output = {
  /** The result: `json` as one JSON document, else the lines. */
  readonly result: (value: unknown, lines: readonly string[]) => void;
  readonly note: (line: string) => void;
};

export const outputFor = (json: boolean): Output => ({
  result: (value, lines) => {
    process.stdout.write(json ? `${JSON.stringify(value)}\n` : lines.map((line) => `${line}\n`).join(''));
  },
  note: (line) => {
    process.stderr.write(`${line}\n`);
  },
});

/** "EUR 40.00"; a currency of the provider's that we do not know in its minor units. */
export const amountText = (amount: Amount): string =>
  minorUnitDigits(amount.currency) === undefined
    ? `${amount.currency} ${String(amount.minor)} minor units`
    : formatAmount(amount);

/** "1 finding", "2 findings". */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${String(number)} ${number === 1 ? one : many}`;

/** A command that did not succeed: what went wrong and what to do. The exit code is 1. */
export const commandFailed = (problem: string, remedy: string): StartProblem =>
  new StartProblem(problem, remedy);

/** The command did what it should and found what should not be: exit code 3, so that a script can tell the two apart. */
export const foundSomething = (): void => {
  process.exitCode = 3;
};

/** The line for a thrown error. What we did not foresee is said to be that, with its own words. */
export const failureLine = (error: unknown): string => {
  if (error instanceof StartProblem) return error.line;
  return `Something unforeseen: ${error instanceof Error ? error.message : String(error)} Run \`holdfast doctor\`.`;
};
