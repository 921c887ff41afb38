import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvMark, csvRows } from './csv-rows.ts';
import { brokenOffFile, newFile } from './kept-file.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'holdfast-export-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const rows = csvRows([
  ['one', 'Müller says\r\n"x","cNot"\r\n', 'cOne'],
  ['two', 'plain', 'cTwo'],
]);
const lines = '{"id":"one","note":"ü","cursor":"cOne"}\n{"id":"two","cursor":"cTwo"}\n';

describe('an export that broke off in a file', () => {
  // Red when: half a line is kept, a whole one is cut off, or text within a cell is taken for the end of a row.
  it.each([
    ['csv', csvMark + csvRows([['a', 'b', 'cursor']]) + rows],
    ['ndjson', lines],
  ] as const)('as %s goes on after its last whole line, wherever it was cut', async (format, whole) => {
    const bytes = Buffer.from(whole);
    const file = path.join(folder, `cut.${format}`);
    const first = whole.indexOf(format === 'csv' ? '"cOne"\r\n' : '\n') + (format === 'csv' ? 8 : 1);
    const endOfFirst = Buffer.byteLength(whole.slice(0, first));
    for (let length = endOfFirst; length <= bytes.length; length += 1) {
      await writeFile(file, bytes.subarray(0, length));
      const kept = await brokenOffFile(file, format);
      await kept?.handle.close();
      const isWhole = length === bytes.length;
      expect([length, kept?.after]).toEqual([length, isWhole ? 'cTwo' : 'cOne']);
      const left = await readFile(file);
      expect(left.equals(bytes.subarray(0, isWhole ? length : endOfFirst)), String(length)).toBe(true);
    }
  });

  it('holds nothing to go on after where no line of it is whole, and a new file is never written over', async () => {
    // Red when: a file of something else is cut, or opened as if it were new.
    const file = path.join(folder, 'other.txt');
    await writeFile(file, 'something else');
    for (const format of ['csv', 'ndjson'] as const)
      expect(await brokenOffFile(file, format)).toBeUndefined();
    await expect(newFile(file)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(file, 'utf8')).toBe('something else');
  });
});
