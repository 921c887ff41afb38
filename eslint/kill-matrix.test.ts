import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { cellsOf, killMatrix, printed, type Cell, type Matrix } from '../e2e/failures/kill-matrix.ts';

const root = path.resolve(import.meta.dirname, '..');
const textOf = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** The names in the list of crash points, read as text: this room imports nothing of the engine. */
const crashPoints = (): readonly string[] => {
  const list = /export const crashPoints = \[([^\]]*)\]/.exec(
    textOf('packages/engine/src/postgres/crash-point/crash-points.ts'),
  )?.[1];
  return [...(list ?? '').matchAll(/'([a-z-]+)'/g)].map(([, name = '']) => name);
};

/** The titles of a file's tests; what is put into one at run time is left open. */
const titlesOf = (code: string): readonly RegExp[] =>
  [...code.matchAll(/\b(?:test|row)\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g)].map(([, , title = '']) => {
    const parts = title.replaceAll(/\\(.)/g, '$1').split(/\$\{[^}]*\}/);
    return new RegExp(`^${parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+')}`);
  });

/** Whether a title begins like this: the cell names its beginning, so each is tried with what a title may have more. */
const beginsLike = (title: RegExp, beginning: string): boolean => {
  const open = title.source.slice(1);
  const literal = open.split('.+')[0]?.replaceAll('\\', '') ?? '';
  if (!open.includes('.+')) return literal.startsWith(beginning);
  const shorter = Math.min(literal.length, beginning.length);
  return literal.slice(0, shorter) === beginning.slice(0, shorter);
};

const hasTest = ({ file, test: beginning }: Cell): boolean =>
  existsSync(path.join(root, file)) && titlesOf(textOf(file)).some((title) => beginsLike(title, beginning));

/** What does not agree, in words; nothing, mostly. */
const faultsOf = (matrix: readonly Matrix[], page: string, points: readonly string[]): readonly string[] => {
  const faults: string[] = [];
  const [atPoints] = matrix;
  for (const point of points) {
    const rows = atPoints?.rows.filter(({ name }) => name === point) ?? [];
    if (rows.length !== 1) faults.push(`${point} stands ${String(rows.length)} times`);
    for (const { file } of rows.flatMap(({ cells }) => cells)) {
      if (!existsSync(path.join(root, file)) || !textOf(file).includes(`'${point}'`))
        faults.push(`${file} arms no ${point}`);
    }
  }
  for (const { name } of atPoints?.rows ?? []) if (!points.includes(name)) faults.push(`${name} is no place`);
  for (const { title, columns, rows } of matrix) {
    for (const { name, cells } of rows)
      if (cells.length !== columns.length - 1) faults.push(`${title}: ${name} has an empty cell`);
  }
  for (const cell of cellsOf(matrix)) {
    if (!hasTest(cell)) faults.push(`${cell.file} has no test “${cell.test}”`);
  }
  if (!page.includes(printed(matrix))) faults.push('the page shows another table');
  return faults;
};

const page = (): string => textOf('docs/failures.md');

describe('the kill matrix', () => {
  // Red when: a crash point is added to the source without its cells, a test is renamed, or the page is not the table.
  test('has a row for every crash point of the source, a test for every cell, and stands on its page', () => {
    expect(crashPoints().length).toBeGreaterThan(10);
    expect(faultsOf(killMatrix, page(), crashPoints())).toEqual([]);
  });

  test('is found wanting where a crash point, a cell, a test or the page is missing', () => {
    const points = crashPoints();
    const [first, ...others] = killMatrix;
    if (first === undefined) throw new Error('there is no table');
    expect(faultsOf(killMatrix, page(), [...points, 'after-lunch'])).toEqual(['after-lunch stands 0 times']);
    const [row, ...rest] = first.rows;
    if (row === undefined) throw new Error('there is no row');
    const short = { ...first, rows: [{ ...row, cells: row.cells.slice(1) }, ...rest] };
    expect(faultsOf([short, ...others], page(), points)).toContain(
      `${first.title}: ${row.name} has an empty cell`,
    );
    const renamed = {
      ...first,
      rows: [{ ...row, cells: row.cells.map((cell) => ({ ...cell, test: 'a server is well' })) }, ...rest],
    };
    expect(faultsOf([renamed, ...others], page(), points)).toEqual(
      expect.arrayContaining([expect.stringContaining('has no test “a server is well”')]),
    );
    expect(faultsOf(killMatrix, page().replace('**Connections**', ''), points)).toEqual([
      'the page shows another table',
    ]);
  });
});
