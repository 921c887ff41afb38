import { readFile, rm } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';

/** One red test, as the end of a long printout tells it. */
export type RedTest = { readonly name: string; readonly because: string };

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
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
};

export const redInVitest = (report: VitestReport): readonly RedTest[] =>
  report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const red = assertionResults.filter((test) => test.status === 'failed');
    if (red.length === 0 && status === 'failed') return [{ name, because: firstLines(message ?? '') }];
    return red.map(({ fullName, failureMessages }) => ({
      name: `${name} › ${fullName}`,
      because: firstLines((failureMessages ?? []).join('\n')),
    }));
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
        readonly errors?: readonly {
          readonly message?: string;
          readonly location?: { readonly line: number };
        }[];
      }[];
    }[];
  }[];
};

export const redInPlaywright = (report: {
  readonly suites: readonly PlaywrightSuite[];
}): readonly RedTest[] =>
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

/** What a step wrote about its tests, as the list of the red ones. Nothing readable: nothing to tell. */
export const redTestsIn = async (
  file: string,
  read: (report: never) => readonly RedTest[],
): Promise<readonly RedTest[]> => {
  try {
    return read(JSON.parse(await readFile(file, 'utf8')) as never);
  } catch {
    return [];
  } finally {
    await rm(file, { force: true });
  }
};
