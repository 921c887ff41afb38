import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Endings } from '../house/endings.ts';
import { startHouse } from '../house/house.ts';
import { repositoryRoot } from '../program.ts';
import type { Line } from '../table.ts';
import { fontsOfStyle, referencesOfPage, staticImportsOf, type FileKind } from './referenced-files.ts';

const webFolder = path.join(repositoryRoot, 'apps/web');
const buildFolder = path.join(webFolder, 'dist');

/** Builds the app where no build is there. An old one is measured as it is: it is what would be served. */
const buildWhereMissing = (): void => {
  if (existsSync(path.join(buildFolder, 'index.html'))) return;
  const vite = path.join(webFolder, 'node_modules/.bin/vite');
  const built = spawnSync(vite, ['build', '--logLevel', 'warn'], {
    cwd: webFolder,
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (built.status !== 0) throw new Error(`the web app could not be built: ${built.stderr}`);
};

const read = (urlPath: string): Buffer => readFileSync(path.join(buildFolder, urlPath));

/** Everything the first screen needs, each once, by its kind: what the page asks for, and what that asks for. */
const filesOfFirstScreen = (): ReadonlyMap<string, FileKind | 'page'> => {
  const files = new Map<string, FileKind | 'page'>([['/index.html', 'page']]);
  const waiting = [...referencesOfPage(read('/index.html').toString())];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (files.has(next.path)) continue;
    files.set(next.path, next.kind);
    const from = next.path;
    const absolute = (found: string): string => path.posix.resolve(path.posix.dirname(from), found);
    if (next.kind === 'script') {
      for (const found of staticImportsOf(read(from).toString()))
        waiting.push({ kind: 'script', path: absolute(found) });
    }
    if (next.kind === 'style') {
      for (const found of fontsOfStyle(read(from).toString()))
        waiting.push({ kind: 'font', path: absolute(found) });
    }
  }
  return files;
};

type Sizes = { readonly plain: number; readonly gzip: number; readonly brotli: number };

/** What is compressed in itself goes over the wire as it is. */
const isPacked = (urlPath: string): boolean => /\.(woff2|png|webp)$/.test(urlPath);

const sizesOf = (urlPath: string): Sizes => {
  const bytes = read(urlPath);
  const plain = bytes.byteLength;
  if (isPacked(urlPath)) return { plain, gzip: plain, brotli: plain };
  return { plain, gzip: gzipSync(bytes).byteLength, brotli: brotliCompressSync(bytes).byteLength };
};

const sum = (all: readonly Sizes[]): Sizes => ({
  plain: all.reduce((total, { plain }) => total + plain, 0),
  gzip: all.reduce((total, { gzip }) => total + gzip, 0),
  brotli: all.reduce((total, { brotli }) => total + brotli, 0),
});

/** Bytes of the body as the server sends it to a browser that takes Brotli and gzip. */
const servedBytes = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'gzip, deflate, br' } }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.byteLength));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(bytes);
        else reject(new Error(`${url} was answered ${String(response.statusCode)}`));
      });
    }).on('error', reject);
  });

/** Thousands of bytes, as they go over the wire. */
const scriptAim = { atMost: 90 };

export const measureFirstLoad = async (endings: Endings): Promise<Line[]> => {
  buildWhereMissing();
  const files = [...filesOfFirstScreen()];
  const of = (kinds: readonly string[]): Sizes =>
    sum(files.filter(([, kind]) => kinds.includes(kind)).map(([urlPath]) => sizesOf(urlPath)));
  const { origin } = await startHouse(endings);
  let served = 0;
  for (const [urlPath] of files)
    served += await servedBytes(`${origin}${urlPath === '/index.html' ? '/' : urlPath}`);
  const line = (what: string, bytes: number): Line => ({
    ...{ part: 'first-load', what, value: bytes / 1024, unit: 'KiB', aim: null },
  });
  const each = (name: string, { plain, gzip, brotli }: Sizes): Line[] => [
    line(`${name}, as built`, plain),
    line(`${name}, gzip`, gzip),
    line(`${name}, Brotli`, brotli),
  ];
  const chunks = files
    .filter(([, kind]) => kind === 'script')
    .map(([urlPath]) => ({ urlPath, bytes: sizesOf(urlPath).brotli }))
    .sort((one, other) => other.bytes - one.bytes);
  return [
    {
      ...{ part: 'first-load', what: "script of an agent's first screen, Brotli", unit: 'kB' },
      ...{ value: of(['script']).brotli / 1000, aim: scriptAim },
    },
    ...chunks.map(({ urlPath, bytes }) => line(`  ${path.basename(urlPath)}, Brotli`, bytes)),
    ...each('script', of(['script'])),
    ...each('style', of(['style'])),
    line('font', of(['font']).brotli),
    line('page, icon and manifest, Brotli', of(['page', 'icon', 'manifest']).brotli),
    ...each('all of the first screen', sum(files.map(([urlPath]) => sizesOf(urlPath)))),
    line('all of the first screen, as our server sends it', served),
  ];
};
