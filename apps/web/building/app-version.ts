import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const here = path.dirname(import.meta.dirname);
const sources = ['src', '../../packages/outbox/src', '../../packages/operation/src'];

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();

/**
 * The package's version and a short hash of what the app is built from: "0.1.0+3fa29c1b". A device's record names it
 * with each attempt, so it is the same for the same sources wherever they are built.
 */
export const appVersion = (): string => {
  const { version } = JSON.parse(readFileSync(path.join(here, 'package.json'), 'utf8')) as {
    version: string;
  };
  const hash = createHash('sha256');
  for (const folder of sources) {
    const root = path.join(here, folder);
    for (const file of filesIn(root)) hash.update(path.relative(root, file)).update(readFileSync(file));
  }
  return `${version}+${hash.digest('hex').slice(0, 8)}`;
};
