import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { builtVariable } from '../harness/built-programs.ts';
import { shelfVariable } from '../harness/kept-folder.ts';
import { buildPrograms } from './build-programs.ts';

/** Before all tests: the programs, and a place for what several houses begin with. After them both are removed. */
export default async (): Promise<() => Promise<void>> => {
  const shelf = await mkdtemp(path.join(tmpdir(), 'holdfast-shelf-'));
  process.env[shelfVariable] = shelf;
  // The test command has built them already.
  const removePrograms = process.env[builtVariable] === undefined ? await buildPrograms() : undefined;
  return async () => {
    await removePrograms?.();
    await rm(shelf, { recursive: true, force: true });
  };
};
