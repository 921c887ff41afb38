import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Line } from '../table.ts';
import { build, type BuildName } from './build-page.ts';

type Size = { readonly plain: number; readonly brotli: number };

const sizeOf = (folder: string): Size => {
  const files = readdirSync(folder).filter((file) => /\.m?js$/.test(file));
  const bytes = Buffer.concat(files.map((file) => readFileSync(path.join(folder, file))));
  return { plain: bytes.byteLength, brotli: brotliCompressSync(bytes).byteLength };
};

/** What the package weighs in somebody else's page: bundled and minified, with everything it exports. */
export const linesOfPackageSize = (workFolder: string): Line[] => {
  const measured = (name: BuildName): Size => {
    const folder = path.join(workFolder, name);
    build(name, folder);
    return sizeOf(folder);
  };
  const line = (what: string, bytes: number): Line => ({
    ...{ part: 'outbox', what, value: bytes / 1000, unit: 'kB', aim: null },
  });
  const whole = measured('whole');
  const own = measured('without-libraries');
  const queue = measured('queue');
  const ownQueue = measured('queue-without-libraries');
  return [
    line('size of @holdfast/outbox with its libraries, Brotli', whole.brotli),
    line('size of @holdfast/outbox with its libraries, minified', whole.plain),
    line('size of @holdfast/outbox without dexie, zod and hashes, Brotli', own.brotli),
    line('size of @holdfast/outbox without dexie, zod and hashes, minified', own.plain),
    line('size of @holdfast/outbox/queue with its libraries, Brotli', queue.brotli),
    line('size of @holdfast/outbox/queue with its libraries, minified', queue.plain),
    line('size of @holdfast/outbox/queue without dexie and zod, Brotli', ownQueue.brotli),
    line('size of @holdfast/outbox/queue without dexie and zod, minified', ownQueue.plain),
  ];
};
