import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { build } from 'vite';
import { keepBuilds, nextBuilds } from './kept-builds.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'holdfast-builds-'));
  await mkdir(path.join(folder, 'source'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Builds a page whose only script says `version`, as the web app is built, and tells what came of it. */
const buildVersion = async (version: number) => {
  const root = path.join(folder, 'source');
  await writeFile(path.join(root, 'index.html'), '<script type="module" src="/main.js"></script>');
  await writeFile(path.join(root, 'main.js'), `globalThis.version = ${String(version)};`);
  const outDir = path.join(folder, 'dist');
  const kept = keepBuilds();
  await build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [kept.plugin],
    build: { outDir, emptyOutDir: false },
  });
  const scripts = (await readdir(path.join(outDir, 'assets'))).sort();
  const { manifest } = kept.onlyThisBuild([
    { url: 'index.html' },
    ...scripts.map((name) => ({ url: `assets/${name}` })),
  ]);
  return { scripts, ahead: manifest.map(({ url }) => url) };
};

describe('the files of earlier builds', () => {
  // Red when: an older build's files go too early or never, or the service worker fetches another build's ahead.
  it('three builds lie there, older ones go, and only the new one is fetched ahead', async () => {
    const one = await buildVersion(1);
    const two = await buildVersion(2);
    const three = await buildVersion(3);
    const four = await buildVersion(4);
    expect([one, two, three, four].map(({ scripts }) => scripts.length)).toEqual([1, 2, 3, 3]);
    expect(three.scripts).toEqual(expect.arrayContaining(two.scripts));
    expect(four.scripts).not.toContain(one.scripts[0]);
    for (const [built, before] of [
      [two, one],
      [three, two],
      [four, three],
    ] as const) {
      const fresh = built.scripts.filter((name) => !before.scripts.includes(name));
      expect(built.ahead).toEqual(['index.html', ...fresh.map((name) => `assets/${name}`)]);
    }
    // The same build again takes nobody's place.
    const again = await buildVersion(4);
    expect(again.scripts).toEqual(four.scripts);
  });

  it('a damaged list is written anew, and costs only the builds that it named', async () => {
    await buildVersion(1);
    await writeFile(path.join(folder, 'dist', 'builds.json'), '{"not": "a list"');
    expect((await buildVersion(2)).scripts).toHaveLength(1);
  });

  it('newest first, and no build twice', () => {
    expect(nextBuilds(['b'], [['a'], ['b'], ['c'], ['d']])).toEqual([['b'], ['a'], ['c']]);
  });
});
