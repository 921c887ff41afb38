import { readFile, rm } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';

/** One red test, as the end of a long printout tells it. */
export type RedTest = { readonly name: string; readonly because: string };

/** How long the tests of one file took, beside each other or one after another. */
export type FileTime = { readonly name: string; readonly seconds: number };

/** What the end of the printout tells of one step. */
export type Told = { readonly red: readonly RedTest[]; readonly files: readonly FileTime[] };

const mostLines = 6;

/** The first lines of an error: what was expected and what came, without the code around it. */
const firstLines = (message: string): string =>
  stripVTControlCharacters(message)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !line.includes('node_modules'))
    .slice(0, mostLines)
    .join('\n    ');

type VitestReport = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly startTime?: number;
    readonly endTime?: number;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
};

const redInVitest = (report: VitestReport): readonly RedTest[] =>
  report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const red = assertionResults.filter((test) => test.status === 'failed');
    if (red.length === 0 && status === 'failed') return [{ name, because: firstLines(message ?? '') }];
    return red.map(({ fullName, failureMessages }) => ({
      name: `${name} › ${fullName}`,
      because: firstLines((failureMessages ?? []).join('\n')),
    }));
  });

export const toldByVitest = (report: VitestReport): Told => ({
  red: redInVitest(report),
  files: report.testResults.map(({ name, startTime = 0, endTime = startTime }) => ({
    name,
    seconds: (endTime - startTime) / 1000,
  })),
});

type PlaywrightSuite = {
  readonly title: string;
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs?: readonly {
    readonly title: string;
    readonly ok: boolean;
    readonly file: string;
    readonly line: number;
    readonly tests: readonly {
      readonly results: readonly {
        readonly duration?: number;
        readonly errors?: readonly {
          readonly message?: string;
          readonly location?: { readonly line: number };
        }[];
      }[];
    }[];
  }[];
};

const redInPlaywright = (report: { readonly suites: readonly PlaywrightSuite[] }): readonly RedTest[] =>
  report.suites.flatMap((suite) => [
    ...redInPlaywright({ suites: suite.suites ?? [] }),
    ...(suite.specs ?? [])
      .filter(({ ok }) => !ok)
      .map(({ title, file, line, tests }) => {
        const errors = tests.flatMap(({ results }) => results.flatMap((result) => result.errors ?? []));
        return {
          name: `${file}:${String(line)} › ${title}`,
          because: errors
            .map(
              (error) => `at line ${String(error.location?.line ?? '?')}: ${firstLines(error.message ?? '')}`,
            )
            .join('\n    '),
        };
      }),
  ]);

const secondsOf = ({ suites = [], specs = [] }: PlaywrightSuite): number =>
  suites.reduce((sum, suite) => sum + secondsOf(suite), 0) +
  specs
    .flatMap(({ tests }) => tests.flatMap(({ results }) => results))
    .reduce((sum, { duration = 0 }) => sum + duration / 1000, 0);

/** A suite at the top is a file. */
export const toldByPlaywright = (report: { readonly suites: readonly PlaywrightSuite[] }): Told => ({
  red: redInPlaywright(report),
  files: report.suites.map((suite) => ({ name: suite.title, seconds: secondsOf(suite) })),
});

/** What a step wrote about its tests. Nothing readable: nothing to tell. */
export const toldIn = async (file: string, read: (report: never) => Told): Promise<Told> => {
  try {
    return read(JSON.parse(await readFile(file, 'utf8')) as never);
  } catch {
    return { red: [], files: [] };
  } finally {
    await rm(file, { force: true });
  }
};

/** The files that took longest, so that growth is seen before it hurts. */
export const slowest = (files: readonly FileTime[], most: number): readonly FileTime[] =>
  [...files].sort((one, other) => other.seconds - one.seconds).slice(0, most);
