/**
 * Loaded before the command itself (`--import`): says how much it keeps after every so many refunds that it read, and, where
 * `KEEP_EVERY_RECORD` is set, keeps each of them. That is what a sweep must not do; the program is the same otherwise.
 */
const every = Number(process.env['WATCH_HEAP_EVERY'] ?? 10_000);
const isKept = process.env['KEEP_EVERY_RECORD'] !== undefined;
const kept: unknown[] = [];
let read = 0;

type Page = { readonly object?: unknown; readonly url?: unknown; readonly data?: unknown };

const say = (): void => {
  globalThis.gc?.();
  const megabytes = process.memoryUsage().heapUsed / 1024 / 1024;
  process.stderr.write(`heap after ${String(read)} refunds: ${megabytes.toFixed(1)} MB\n`);
};

const parse = JSON.parse.bind(JSON);
JSON.parse = (text: string, reviver?: (this: unknown, key: string, value: unknown) => unknown): unknown => {
  const value: unknown = parse(text, reviver);
  const page = value as Page | null;
  if (page?.object === 'list' && page.url === '/v1/refunds' && Array.isArray(page.data)) {
    const before = Math.floor(read / every);
    read += page.data.length;
    if (isKept) kept.push(...page.data.map((refund) => structuredClone(refund) as unknown));
    if (Math.floor(read / every) > before) say();
  }
  return value;
};
