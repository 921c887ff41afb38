import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'vite';

/** Of the files that the service worker is to fetch ahead, one each. */
type ManifestTransform = <Entry extends { readonly url: string }>(
  entries: Entry[],
) => { manifest: Entry[]; warnings: string[] };

/** This build and the two before it: a tab that stays open over a few updates still finds its screens. */
const keptBuilds = 3;
const listName = 'builds.json';
const assets = 'assets/';

type Build = readonly string[];

/** Newest first. A list that is missing or damaged is an empty one: it is written anew. */
const readBuilds = async (folder: string): Promise<Build[]> => {
  try {
    const list: unknown = JSON.parse(await readFile(path.join(folder, listName), 'utf8'));
    if (!Array.isArray(list)) return [];
    return list.filter((build): build is string[] => Array.isArray(build)).slice(0, keptBuilds);
  } catch {
    return [];
  }
};

const sameFiles = (one: Build, other: Build): boolean =>
  one.length === other.length && one.every((file) => other.includes(file));

/** @returns the builds to keep, newest first: the new one, and of those before it as many as still fit */
export const nextBuilds = (current: Build, before: readonly Build[]): readonly Build[] =>
  [current, ...before.filter((build) => !sameFiles(build, current))].slice(0, keptBuilds);

/** Keeps the hashed files of the last builds beside the new one's, and deletes older ones. */
export const keepBuilds = (): { readonly plugin: Plugin; readonly onlyThisBuild: ManifestTransform } => {
  let current: Build = [];
  const plugin: Plugin = {
    name: 'holdfast-kept-builds',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      if (dir === undefined) return;
      current = Object.keys(bundle).filter((file) => file.startsWith(assets));
      const builds = nextBuilds(current, await readBuilds(dir));
      const kept = new Set(builds.flat());
      for (const name of await readdir(path.join(dir, assets))) {
        if (!kept.has(assets + name)) await rm(path.join(dir, assets, name), { recursive: true });
      }
      await writeFile(path.join(dir, listName), JSON.stringify(builds));
    },
  };
  /** The service worker fetches its own build's files ahead, not those which are kept for others. */
  const onlyThisBuild: ManifestTransform = (entries) => ({
    manifest: entries.filter(({ url }) => !url.startsWith(assets) || current.includes(url)),
    warnings: [],
  });
  return { plugin, onlyThisBuild };
};
