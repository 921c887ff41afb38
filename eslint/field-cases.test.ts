import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

/** Every case there is. The numbers have gaps, so the list is the only thing that knows them all. */
const cases = (
  'F001 F003 F004 F006 F008 F010 F012 F013 F014 F015 F016 F018 F019 F021 F022 F024 F026 F028 F029 F030 F032 F033 ' +
  'F034 F035 F037 F038 F040 F042 F043 F045 F046 F048 F049 F051 F052 F053 F055 F056 F058 F059 F061 F063 F064 F066 ' +
  'F067 F068 F070 F072 F073 F074 F076 F077 F079 F081 F082 F084 F086 F087 F089 F090 F092 F093 F094 F095 F097 F099 ' +
  'F100 F102 F103 F105 F107 F108 F109 F111 F113 F114 F116 F117 F119 F121 F122 F124 F125'
).split(' ');

type Row = {
  readonly number: string;
  readonly tests: readonly { readonly file: string; readonly name?: string }[];
};

/** The rows of the page: `| F001 | … | `file` “name”, `file` |`. */
const rowsOf = (text: string): readonly Row[] =>
  text
    .split('\n')
    .map((line) => /^\| (F\d{3}) +\| .* \| (.*?) +\|$/.exec(line))
    .filter((found) => found !== null)
    .map(([, number = '', cell = '']) => ({
      number,
      tests: [...cell.matchAll(/`([^`]+)`(?: “([^”]+)”)?/g)].map(([, file = '', name]) => ({
        file,
        ...(name === undefined ? {} : { name }),
      })),
    }));

/** The code of a test file without its comments: a number in a comment is no test's name. */
const codeOf = (file: string): string =>
  readFileSync(path.join(root, file), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line))
    .join('\n');

/** Whether the code gives that number to something by name: inside a text, at whatever place of it. */
const carries = (code: string, number: string): boolean =>
  new RegExp(`['"\`(][^'"\`\\n]*\\b${number}\\b`).test(code);

const isTest = (file: string): boolean => /\.(test|spec)\.ts$|\/conformance\/[^/]*-cases\.ts$/.test(file);

const testsUnder = (folder: string): readonly string[] =>
  readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const inside = `${folder}/${entry.name}`;
    if (entry.isDirectory())
      return /^(node_modules|dist|test-results)$/.test(entry.name) ? [] : testsUnder(inside);
    return isTest(inside) ? [inside] : [];
  });

/** What is wrong with the page, in words; nothing, mostly. */
const faultsOf = (text: string): readonly string[] => {
  const rows = rowsOf(text);
  const faults: string[] = [];
  for (const number of cases) {
    const found = rows.filter((row) => row.number === number);
    if (found.length !== 1) faults.push(`${number} stands ${String(found.length)} times`);
  }
  for (const { number, tests } of rows) {
    if (!cases.includes(number)) faults.push(`${number} is no case`);
    if (tests.length === 0 && !/no test/.test(text.split('\n').find((line) => line.includes(number)) ?? ''))
      faults.push(`${number} names no test and does not say why`);
    for (const { file, name } of tests) {
      if (!isTest(file) || !existsSync(path.join(root, file)))
        faults.push(`${number}: there is no test ${file}`);
      else if (name === undefined && !carries(codeOf(file), number))
        faults.push(`${number}: nothing in ${file} carries the number`);
      else if (name !== undefined && !codeOf(file).includes(name))
        faults.push(`${number}: nothing in ${file} is called “${name}”`);
    }
  }
  return faults;
};

const page = (): string => readFileSync(path.join(root, 'docs', 'field-cases.md'), 'utf8');

describe('the page of field cases', () => {
  test('has all 83, each once, and every test that it names is there', () => {
    expect(cases).toHaveLength(83);
    expect(faultsOf(page())).toEqual([]);
  });

  // Red when: a number is mistyped in a test's name, so that nobody finds it.
  test('knows every number that a test carries', () => {
    const strays = ['packages', 'apps', 'e2e']
      .flatMap(testsUnder)
      .flatMap((file) =>
        [...new Set(codeOf(file).match(/\bF\d{3}(?=\b)/g) ?? [])]
          .filter((number) => !cases.includes(number))
          .map((number) => `${file}: ${number}`),
      );
    expect(strays).toEqual([]);
  });

  test('is found wanting where a case is left out, a test does not exist, or does not carry its number', () => {
    const whole = page();
    const line = (number: string): string =>
      whole.split('\n').find((one) => one.includes(`| ${number}`)) ?? '';
    expect(faultsOf(whole.replace(line('F067'), ''))).toEqual(['F067 stands 0 times']);
    expect(
      faultsOf(whole.replace('field-cases-unnamed.pg.test.ts', 'field-cases-nameless.pg.test.ts')),
    ).not.toEqual([]);
    const swapped = whole.replace(line('F072'), line('F072').replace('| F072', '| F073'));
    expect(faultsOf(swapped)).toEqual(expect.arrayContaining(['F072 stands 0 times', 'F073 stands 2 times']));
    const elsewhere = whole.replace(
      line('F033'),
      line('F033').replace(/`[^`]+`/, '`packages/operation/test/amount.test.ts`'),
    );
    expect(faultsOf(elsewhere)).toEqual([
      'F033: nothing in packages/operation/test/amount.test.ts carries the number',
    ]);
    const quoted = whole.replace('“lets no client set what only the server decides”', '“lets every client”');
    expect(faultsOf(quoted)).not.toEqual([]);
  });
});
