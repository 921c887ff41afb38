import path from 'node:path';
import type { Rule } from 'eslint';

/**
 * The arrows of the house, as data: what each room may import. Whatever is not listed is refused, so a new room or
 * a new dependency needs a line here before it compiles in review.
 */
export type Room = {
  /** Folder from the repository's root. */
  readonly folder: string;
  /** Entries of our own packages it may use. */
  readonly ours: readonly string[];
  /**
   * Packages of others it may use, whole or by one entry (`zod/mini`: what browsers load takes the small kind of
   * schemas alone); `'any'` where the room is an edge.
   */
  readonly others: readonly string[] | 'any';
  /** May it use `node:` modules? */
  readonly node: boolean;
};

/** The longest matching folder wins, so a room's adapters can have a door of their own. */
export const rooms: readonly Room[] = [
  { folder: 'packages/operation', ours: [], others: ['zod/mini', '@noble/hashes'], node: false },
  { folder: 'packages/providers', ours: ['@holdfast/operation'], others: [], node: false },
  // One request on the wire, for every adapter alike; what its answer means is each adapter's own.
  { folder: 'packages/providers/src/wire', ours: ['@holdfast/operation'], others: [], node: true },
  { folder: 'packages/providers/src/stripe', ours: ['@holdfast/operation'], others: ['stripe'], node: true },
  { folder: 'packages/providers/src/adyen', ours: ['@holdfast/operation'], others: [], node: true },
  { folder: 'packages/providers/src/paypal', ours: ['@holdfast/operation'], others: [], node: true },
  { folder: 'packages/providers/src/mollie', ours: ['@holdfast/operation'], others: [], node: true },
  { folder: 'packages/providers/src/square', ours: ['@holdfast/operation'], others: [], node: true },
  { folder: 'packages/providers/src/single-shot', ours: ['@holdfast/operation'], others: [], node: true },
  { folder: 'packages/providers/src/template', ours: ['@holdfast/operation'], others: [], node: true },
  {
    folder: 'packages/engine',
    ours: ['@holdfast/operation', '@holdfast/providers'],
    others: ['@noble/hashes'],
    node: false,
  },
  {
    folder: 'packages/engine/src/postgres',
    ours: ['@holdfast/operation', '@holdfast/providers'],
    others: ['drizzle-orm', 'postgres', '@noble/hashes', '#crash-point'],
    node: true,
  },
  { folder: 'packages/outbox', ours: ['@holdfast/operation'], others: ['zod/mini'], node: false },
  // Reads what people ask for: by grammar alone, so that it runs in a browser without a network.
  { folder: 'packages/assistant', ours: ['@holdfast/operation'], others: ['zod/mini'], node: false },
  {
    folder: 'packages/assistant/evaluation',
    ours: ['@holdfast/operation', '@holdfast/assistant'],
    others: [],
    node: true,
  },
  {
    folder: 'packages/outbox/src/browser',
    ours: ['@holdfast/operation', '@holdfast/operation/id'],
    others: ['dexie', 'zod/mini'],
    node: false,
  },
  // A page and its server as somebody else would write them.
  {
    folder: 'packages/outbox/example',
    ours: ['@holdfast/outbox/queue'],
    others: ['zod/mini', 'vite'],
    node: true,
  },
  // Sees all that is shipped and runs it in a world of its own; nothing sees it.
  {
    folder: 'packages/simulation',
    ours: [
      '@holdfast/operation',
      '@holdfast/providers',
      '@holdfast/engine',
      '@holdfast/engine/postgres',
      '@holdfast/engine/postgres/parts',
      '@holdfast/outbox',
      '@holdfast/outbox/decisions',
      '@holdfast/outbox/pretend-stores',
    ],
    others: ['@libpg-query/parser', '@pgsql/types', 'postgres'],
    node: true,
  },
  {
    folder: 'apps/server',
    ours: [
      '@holdfast/operation',
      '@holdfast/assistant',
      '@holdfast/operation/csv-safe',
      '@holdfast/providers',
      '@holdfast/providers/stripe',
      '@holdfast/engine',
      '@holdfast/engine/postgres',
    ],
    others: 'any',
    node: true,
  },
  // What builds the app runs in Node; nothing of the app may import it.
  { folder: 'apps/web/building', ours: [], others: 'any', node: true },
  {
    folder: 'apps/web',
    ours: ['@holdfast/operation', '@holdfast/assistant', '@holdfast/outbox', '@holdfast/outbox/browser'],
    others: 'any',
    node: false,
  },
  { folder: 'apps/fake-stripe', ours: [], others: 'any', node: true },
  { folder: 'apps/fake-providers', ours: [], others: 'any', node: true },
  // Drives the product from outside, and asks PostgreSQL and a browser what that cost.
  { folder: 'bench', ours: [], others: ['postgres', 'playwright'], node: true },
  // The page that the bench opens in that browser, with the outbox in it as an app has it.
  {
    folder: 'bench/src/outbox/page',
    ours: ['@holdfast/outbox', '@holdfast/outbox/browser', '@holdfast/outbox/queue'],
    others: [],
    node: false,
  },
  {
    folder: 'e2e',
    ours: [],
    // The driver looks behind the API: at what is stored, and at times that a test cannot wait for.
    others: ['@playwright/test', '@axe-core/playwright', 'postgres', 'rolldown', 'standardwebhooks'],
    node: true,
  },
  // The engines that Playwright does not drive as people install them.
  { folder: 'e2e/engines', ours: [], others: ['puppeteer-core', 'selenium-webdriver'], node: true },
];

const roomOf = (file: string): Room | undefined =>
  rooms
    .filter((room) => file === room.folder || file.startsWith(`${room.folder}/`))
    .sort((one, other) => other.folder.length - one.folder.length)[0];

/** The workspace package a file belongs to: two folders deep, or one for `e2e` and `bench`. */
const packageOf = (file: string): string =>
  file
    .split('/')
    .slice(0, /^(e2e|bench)\//.test(file) ? 1 : 2)
    .join('/');

const isTest = (file: string): boolean =>
  /\.test\.ts$|\/test\/|(^|\/)vite(st)?\.config\.ts$|playwright\.config\.ts$/.test(file);

/** Says why an import is against the arrows, or `undefined` when it is allowed. Paths are relative to the root. */
export const againstTheArrows = (file: string, specifier: string): string | undefined => {
  const room = roomOf(file);
  if (!room) return isRootFile(file) ? undefined : `no room of the house is known for ${file}`;
  if (specifier.startsWith('.')) return againstRelative(file, specifier);
  if (specifier.startsWith('@holdfast/')) return againstOurs(room, file, specifier);
  if (specifier.startsWith('node:')) {
    return room.node || isTest(file) ? undefined : `${room.folder} lives without a world: no ${specifier}`;
  }
  if (specifier.startsWith('virtual:') || specifier.startsWith('$')) return undefined;
  if (isTest(file) || room.others === 'any') return undefined;
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  return room.others.includes(name) || room.others.includes(specifier)
    ? undefined
    : `${room.folder} may not import the package ${name}`;
};

const isRootFile = (file: string): boolean => !file.includes('/') || file.startsWith('eslint/');

const againstRelative = (file: string, specifier: string): string | undefined => {
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
  if (packageOf(target) !== packageOf(file))
    return 'a package is entered through its exports, never by a path';
  const from = roomOf(file);
  const to = roomOf(target);
  // Adapters may use the decisions beside them; decisions may not reach into their own adapters.
  if (from && to && to.folder.startsWith(`${from.folder}/`) && !isTest(file)) {
    return `${from.folder} decides; it may not import its adapters in ${to.folder}`;
  }
  return undefined;
};

const againstOurs = (room: Room, file: string, specifier: string): string | undefined => {
  if (room.ours.includes(specifier)) return undefined;
  // A test may also enter by the adapters of the rooms its own room may use.
  if (isTest(file) && room.ours.some((entry) => specifier.startsWith(`${entry}/`)) && isEntry(specifier))
    return undefined;
  const own = `@holdfast/${path.posix.basename(packageOf(file))}`;
  if (isTest(file) && (specifier === own || specifier.startsWith(`${own}/`)) && isEntry(specifier))
    return undefined;
  return `the arrows of the house do not let ${room.folder} import ${specifier}`;
};

/** Entries that no room's own source uses: for tests alone. The server speaks to Stripe so far. */
const entriesForTests = [
  '@holdfast/outbox',
  '@holdfast/providers/adyen',
  '@holdfast/providers/paypal',
  '@holdfast/providers/mollie',
  '@holdfast/providers/square',
  '@holdfast/providers/single-shot',
];

const isEntry = (specifier: string): boolean =>
  rooms.some((room) => room.ours.includes(specifier)) || entriesForTests.includes(specifier);

export const houseArrows: Rule.RuleModule = {
  meta: {
    type: 'problem',
    docs: { description: 'imports follow the arrows of the house and enter packages through their exports' },
    schema: [],
    messages: { against: '{{why}}' },
  },
  create(context) {
    const file = path.relative(context.cwd, context.filename).split(path.sep).join('/');
    const judge = (node: Rule.Node, source: unknown): void => {
      if (typeof source !== 'string') return;
      const why = againstTheArrows(file, source);
      if (why) context.report({ node, messageId: 'against', data: { why } });
    };
    return {
      ImportDeclaration: (node) => judge(node, node.source.value),
      ExportAllDeclaration: (node) => judge(node, node.source.value),
      ExportNamedDeclaration: (node) => judge(node, node.source?.value),
      ImportExpression: (node) => judge(node, node.source.type === 'Literal' ? node.source.value : undefined),
      TSImportType: (node: Rule.Node) => judge(node, importTypeSource(node)),
    };
  },
};

const importTypeSource = (node: unknown): unknown => {
  const holder = node as { source?: { value?: unknown }; argument?: { literal?: { value?: unknown } } };
  return holder.source?.value ?? holder.argument?.literal?.value;
};
