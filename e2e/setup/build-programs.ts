import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'rolldown';
import {
  builtFolder,
  builtVariable,
  crashTestCondition,
  programNames,
  sourceOf,
  type ProgramName,
} from '../harness/built-programs.ts';
import { repositoryRoot } from '../harness/program.ts';

/** The one thing that the programs read beside their own source. */
const migrations = path.join(repositoryRoot, 'packages/engine/src/postgres/migrations');

const buildOne = async (name: ProgramName, run: string): Promise<void> => {
  await build({
    input: { program: sourceOf(name) },
    platform: 'node',
    resolve: {
      conditionNames: [
        ...(name === 'server-that-crashes' ? [crashTestCondition] : []),
        ...['node', 'import', 'module', 'default'],
      ],
    },
    output: {
      dir: builtFolder(name, run),
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    },
    logLevel: 'warn',
  });
  await cp(migrations, path.join(builtFolder(name, run), 'migrations'), { recursive: true });
};

/** Builds every program once for all tests of a run, and says how to remove what was built. */
export const buildPrograms = async (): Promise<() => Promise<void>> => {
  const run = `run-${String(process.pid)}`;
  await Promise.all(programNames.map((name) => buildOne(name, run)));
  process.env[builtVariable] = run;
  return async () => {
    await Promise.all(
      programNames.map((name) => rm(builtFolder(name, run), { recursive: true, force: true })),
    );
  };
};
