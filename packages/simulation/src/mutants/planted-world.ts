import { registerHooks, stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as simulation from '../simulation.ts';
import { placesOf, plantIn, type Mutant } from './mutant.ts';

/** All of the simulation, as its entry gives it. */
export type Simulation = typeof simulation;

const root = path.resolve(import.meta.dirname, '../../../..');
const entry = pathToFileURL(path.join(import.meta.dirname, '../simulation.ts')).href;
const packages = pathToFileURL(path.join(root, 'packages/')).href;

type World = { readonly mutant: Mutant; readonly planted: Set<string> };
const worlds: World[] = [];
const readSources = new Map<string, string>();
const inWorld = /\?world=(\d+)$/;

const textOf = (source: unknown, url: string): string => {
  if (source == null) throw new Error(`${url} was loaded without its text`);
  return typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString('utf8');
};

const plant = ({ mutant, planted }: World, url: string, source: string): string => {
  const file = path.relative(root, fileURLToPath(url));
  let text = source;
  for (const place of placesOf(mutant).filter((one) => one.file === file)) {
    text = plantIn(text, mutant.name, place);
    planted.add(file);
  }
  return text;
};

let hooks: ReturnType<typeof registerHooks> | undefined;

/** What a module of a world imports of ours is of that world as well: each world has all of our source to itself. */
const openHooks = (): void => {
  hooks ??= registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context);
      const world = inWorld.exec(context.parentURL ?? '')?.[0];
      const isOurs = found.url.startsWith(packages) && !found.url.includes('/node_modules/');
      return world !== undefined && isOurs ? { ...found, url: found.url + world } : found;
    },
    load: (url, context, next) => {
      const at = inWorld.exec(url);
      const world = worlds[Number(at?.[1])];
      if (at === null || world === undefined) return next(url, context);
      const bare = url.slice(0, at.index);
      const source = readSources.get(bare) ?? textOf(next(bare, context).source, bare);
      readSources.set(bare, source);
      const text = plant(world, bare, source);
      return { format: 'module', source: stripped(bare, text, text === source), shortCircuit: true };
    },
  });
};

const strippedSources = new Map<string, string>();

const stripped = (url: string, text: string, isShipped: boolean): string => {
  const known = isShipped ? strippedSources.get(url) : undefined;
  if (known !== undefined) return known;
  const source = stripTypeScriptTypes(text);
  if (isShipped) strippedSources.set(url, source);
  return source;
};

/**
 * The simulation and everything shipped that it runs, loaded once more with a mistake in it. Nothing on disk changes.
 * A mutant whose file is never loaded would count as one that nothing finds: that throws.
 */
export const openPlantedWorld = async (mutant: Mutant): Promise<Simulation> => {
  openHooks();
  const world: World = { mutant, planted: new Set() };
  worlds.push(world);
  const opened = (await import(`${entry}?world=${String(worlds.length - 1)}`)) as Simulation;
  for (const { file } of placesOf(mutant)) {
    if (!world.planted.has(file)) throw new Error(`mutant "${mutant.name}": ${file} was never loaded`);
  }
  return opened;
};
