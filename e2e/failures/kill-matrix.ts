/**
 * Every process and every connection, and each way in which it ends, stops or fails: which test holds that cell. A cell
 * names the file and the beginning of the test's title. `pnpm test:unit --project house` holds the table, the tests,
 * the crash points of the source and the page `docs/failures.md` together.
 */
export type Cell = { readonly file: string; readonly test: string };
export type MatrixRow = { readonly name: string; readonly cells: readonly Cell[] };
export type Matrix = {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly MatrixRow[];
};

const inFailures =
  (file: string) =>
  (test: string): Cell => ({ file: `e2e/failures/${file}.spec.ts`, test });
const inOutbox =
  (file: string) =>
  (test: string): Cell => ({ file: `e2e/outbox/${file}.spec.ts`, test });

const intakeDeath = inFailures('process-death-at-intake');
const death = inFailures('process-death');
const frozen = inFailures('process-frozen');
const away = inFailures('database-away');
const troubles = inFailures('database-troubles');
const workers = inFailures('two-workers');
const several = inFailures('several-processes')('two servers and two workers, killed and restarted in turn');
const browser = inOutbox('killed-browser');
const overHttp = (test: string): Cell => ({ file: 'apps/server/test/database-away.pg.test.ts', test });

const workersFrozen = frozen('workers are frozen before a claim commits');
const serversFrozen = frozen('servers are frozen before a command commits');

/** Each place by its name in `packages/engine/src/postgres/crash-point/crash-points.ts`. */
const atCrashPoints: Matrix = {
  title: 'At each named place',
  columns: ['place', 'killed there', 'frozen there past its lease, then goes on'],
  rows: [
    {
      name: 'before-command-commits',
      cells: [intakeDeath('a server is killed before a proposal commits'), serversFrozen],
    },
    {
      name: 'after-command-before-answer',
      cells: [intakeDeath('a server is killed after a proposal and after an approval'), serversFrozen],
    },
    {
      name: 'before-claim-commits',
      cells: [death('a worker is killed before claim commits'), workersFrozen],
    },
    {
      name: 'after-claim-before-fence',
      cells: [
        death('a worker is killed after claim before fence'),
        frozen('F034: a worker frozen before its last look'),
      ],
    },
    {
      name: 'after-fence-before-send',
      cells: [
        death('a worker is killed after fence before send'),
        frozen('a worker frozen between its last look and its first byte'),
      ],
    },
    {
      name: 'after-answer-before-record',
      cells: [
        death('a worker is killed after answer before record'),
        frozen('a worker frozen after its answer'),
      ],
    },
    {
      name: 'before-record-commits',
      cells: [death('a worker is killed before record commits'), workersFrozen],
    },
    {
      name: 'after-record-before-notice',
      cells: [death('a worker is killed after record before notice'), workersFrozen],
    },
    {
      name: 'after-look-up-before-record',
      cells: [death('a worker is killed between a look-up and its record'), workersFrozen],
    },
    {
      name: 'after-event-stored-before-answer',
      cells: [intakeDeath('a server is killed after it stored an event'), serversFrozen],
    },
    {
      name: 'after-event-applied-before-finish',
      cells: [intakeDeath('a server is killed after it stored an event'), workersFrozen],
    },
    {
      name: 'after-listing-before-position',
      cells: [death('a worker is killed between a listing and its place'), workersFrozen],
    },
  ],
};

const anywhere: Matrix = {
  title: 'Wherever it is just then',
  columns: ['process', 'killed', 'frozen, then goes on'],
  rows: [
    { name: 'server', cells: [several, serversFrozen] },
    { name: 'worker', cells: [several, frozen('F033: the machine sleeps in the middle of many refunds')] },
    {
      name: 'database',
      cells: [
        troubles('the database is killed with all its processes while requests are in flight'),
        troubles('the database is frozen past every lease'),
      ],
    },
    {
      name: 'provider',
      cells: [
        death('the provider is killed with one refund made and not answered'),
        frozen('the provider is frozen past the lease of a request'),
      ],
    },
    { name: 'browser', cells: [browser('killed '), browser('the whole browser is frozen')] },
  ],
};

const connections: Matrix = {
  title: 'Connections',
  columns: ['between', 'cut off', 'cut in the middle of an answer', 'answers lost'],
  rows: [
    {
      name: 'server and database',
      cells: [
        overHttp('F024 two proposals of one operation at once are answered 503'),
        away('a server’s connection to the database is cut in the middle'),
        overHttp('F024 a store that falls silent is answered 503'),
      ],
    },
    {
      name: 'worker and database',
      cells: [
        away('workers are cut off from the database after their answers, or hear nothing of it'),
        away('a worker’s connection to the database is cut in the middle'),
        away('workers are cut off from the database after their answers, or hear nothing of it'),
      ],
    },
    {
      name: 'worker and provider',
      cells: [
        death('the connection to the provider is cut off, and cut in the middle of an answer'),
        death('the connection to the provider is cut off, and cut in the middle of an answer'),
        death('the answer is lost after the provider acted'),
      ],
    },
    {
      name: 'browser and server',
      cells: [
        inOutbox('failing-networks')('a network that flaps every 2 s for a minute'),
        browser('the answer to what was saved is cut in the middle'),
        browser('killed '),
      ],
    },
  ],
};

const database: Matrix = {
  title: 'A database that answers and cannot',
  columns: ['it', 'test'],
  rows: [
    { name: 'takes no writes', cells: [troubles('the database takes no writes for a while')] },
    { name: 'its disk is full', cells: [troubles('the disk of the database’s tables is full for a while')] },
    {
      name: 'the disk of its log is full',
      cells: [troubles('the disk of the database’s log is full for a while')],
    },
    {
      name: 'is an older copy',
      cells: [inFailures('restored-backup')('F125: the database’s folder is put back')],
    },
  ],
};

const many: Matrix = {
  title: 'Several workers',
  columns: ['how many', 'test'],
  rows: [
    { name: 'two', cells: [workers('two workers, many approved operations')] },
    { name: 'two, and two servers, killed in turn', cells: [several] },
    {
      name: 'four, then three, two and one',
      cells: [workers('of four workers two are killed and one is frozen')],
    },
  ],
};

export const killMatrix: readonly Matrix[] = [atCrashPoints, anywhere, connections, database, many];

export const cellsOf = (matrices: readonly Matrix[]): readonly Cell[] =>
  matrices.flatMap(({ rows }) => rows.flatMap(({ cells }) => cells));

const shortOf = ({ file, test }: Cell): string =>
  `${file.replace(/^e2e\/(failures\/)?/, '').replace(/(\.pg\.test|\.spec)\.ts$/, '')}: “${test.trim()} …”`;

/** As it stands in `docs/failures.md`. */
export const printed = (matrices: readonly Matrix[]): string =>
  matrices
    .map(({ title, columns, rows }) =>
      [
        `**${title}**`,
        '',
        `| ${columns.join(' | ')} |`,
        `| ${columns.map(() => '---').join(' | ')} |`,
        ...rows.map(({ name, cells }) => `| ${[name, ...cells.map(shortOf)].join(' | ')} |`),
      ].join('\n'),
    )
    .join('\n\n');
