import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { shelfVariable } from '../harness/kept-folder.ts';
import { buildPrograms } from './build-programs.ts';

/** Before all tests: the programs, and a place for what several houses begin with. After them both are removed. */
export default async (): Promise<() => Promise<void>> => {
  const shelf = await mkdtemp(path.join(tmpdir(), 'holdfast-shelf-'));
  process.env[shelfVariable] = shelf;
  const removePrograms = await buildPrograms();
  return async () => {
    await removePrograms();
    await rm(shelf, { recursive: true, force: true });
  };
};
