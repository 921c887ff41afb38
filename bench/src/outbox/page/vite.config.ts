import path from 'node:path';

const build = process.env['BENCH_BUILD'] ?? 'page';
const outDir = process.env['BENCH_OUT'];

/** What stays outside the package's bundle, by the build's name. */
const outside: Readonly<Record<string, readonly RegExp[]>> = {
  whole: [],
  'without-libraries': [/^dexie$/, /^zod\b/, /^@noble\//],
  queue: [],
  'queue-without-libraries': [/^dexie$/, /^zod\b/, /^@noble\//],
};

const entry = build.startsWith('queue') ? 'queue-entry.ts' : 'package-entry.ts';

const asPackage = {
  lib: { entry: path.join(import.meta.dirname, entry), formats: ['es'], fileName: build },
  rolldownOptions: { external: outside[build] ?? [], output: { minify: true } },
};

// The page is not minified, so that a profile names the functions. The package is measured as it would be served.
export default {
  root: import.meta.dirname,
  logLevel: 'warn',
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    ...(build === 'page' ? { minify: false } : asPackage),
  },
};
