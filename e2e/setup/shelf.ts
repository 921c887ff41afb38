import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { shelfVariable } from '../harness/kept-folder.ts';

/** Before all tests: a place for what several houses begin with. After them it is removed. */
export default async (): Promise<() => Promise<void>> => {
  const shelf = await mkdtemp(path.join(tmpdir(), 'holdfast-shelf-'));
  process.env[shelfVariable] = shelf;
  return () => rm(shelf, { recursive: true, force: true });
};
