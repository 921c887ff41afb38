import path from 'node:path';
import { repositoryRoot } from './program.ts';

/**
 * Names the folder in each program's `dist/` that one run has built its programs into. The server's own tests look for
 * it as well.
 */
export const builtVariable = 'BUILT_PROGRAMS';

/** Node's condition under which a program ends or freezes at a named place: see docs/failures.md. */
export const crashTestCondition = 'holdfast-crash-test';

const sources = {
  server: 'apps/server/src/start/start.ts',
  'server-that-crashes': 'apps/server/src/start/start.ts',
  'command-line': 'apps/server/src/command-line/holdfast.ts',
  'fake-stripe': 'apps/fake-stripe/src/fake-stripe.ts',
} as const;

export type ProgramName = keyof typeof sources;

export const programNames = Object.keys(sources) as ProgramName[];

export const sourceOf = (name: ProgramName): string => path.join(repositoryRoot, sources[name]);

/** Within the app's own folder, four levels down as the sources are: what it looks for beside itself it finds. */
export const builtFolder = (name: ProgramName, build: string): string =>
  path.join(repositoryRoot, sources[name].split('/').slice(0, 2).join('/'), 'dist', `${name}-${build}`);

export type Runnable = { readonly script: string; readonly environment: Record<string, string> };

/**
 * What to start for a program: what this run has built of it, else its source. Of a source, Node reads a thousand files
 * at every start, which is most of what a test of a few seconds costs.
 */
export const runnable = (name: ProgramName): Runnable => {
  const build = process.env[builtVariable];
  if (build !== undefined)
    return { script: path.join(builtFolder(name, build), 'program.mjs'), environment: {} };
  const conditions =
    name === 'server-that-crashes' ? { NODE_OPTIONS: `--conditions=${crashTestCondition}` } : {};
  return { script: sourceOf(name), environment: conditions };
};
