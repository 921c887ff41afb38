import { fileURLToPath } from 'node:url';

type Modules = { getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null };

type Group = {
  readonly name: (id: string, modules: Modules) => string | null;
  readonly priority: number;
};

const start = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/**
 * Entries that export all that a package has: to follow their imports would be to take everything. What is used of
 * them follows by itself, because a chunk takes the modules that its own need.
 */
const entryOfManyThings =
  /packages\/\w+\/src\/(?:operation|outbox)\.ts$|\/messages\/english\.ts$|\/svelte\/src\/(?:[\w/]+\/)?index(?:-client)?\.js$/;

/** Every module that must be there before the app starts: what `main.ts` imports, and what that imports, statically. */
const neededAtStart = (modules: Modules): ReadonlySet<string> => {
  const found = new Set([start]);
  for (const id of found) {
    if (entryOfManyThings.test(id)) continue;
    for (const next of modules.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  }
  return found;
};

/**
 * Two chunks for the first screen: other people's code, which changes seldom, and ours. Whatever only a later screen
 * needs stays out of both, and what is needed at the start is never scattered over the later screens' shared chunks.
 */
export const firstScreenChunks = (): Group[] => {
  let needed: ReadonlySet<string> | null = null;
  const isNeeded = (id: string, modules: Modules): boolean => {
    needed ??= neededAtStart(modules);
    return needed.has(id);
  };
  const ofOthers = (id: string): boolean => id.includes('/node_modules/') || !id.startsWith('/');
  return [
    { name: (id, modules) => (ofOthers(id) && isNeeded(id, modules) ? 'parts' : null), priority: 2 },
    { name: (id, modules) => (isNeeded(id, modules) ? 'app' : null), priority: 1 },
  ];
};
