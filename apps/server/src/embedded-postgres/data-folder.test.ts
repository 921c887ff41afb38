import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeDataFolder } from './data-folder.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'holdfast-data-'));
  await writeFile(path.join(folder, 'file'), '');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// Red when: what the file system says is thrown as it is, without the setting's name.
it.each([
  ['a file', 'file'],
  ['a place below a file', 'file/below'],
])('a data folder that is %s is refused by the name of its setting, with what to do', async (_what, name) => {
  const wrong = path.join(folder, name);
  await expect(makeDataFolder(wrong)).rejects.toMatchObject({
    name: 'StartProblem',
    line: expect.stringMatching(/^HOLDFAST_DATA_DIR: .*cannot be used as a folder.*Name a folder/),
  });
  await makeDataFolder(path.join(folder, 'good', 'below'));
});
