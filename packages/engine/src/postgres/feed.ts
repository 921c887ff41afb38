import type { Feed, FeedChange, FeedCursor, Principal } from '../engine-interface.ts';
import { judgeResume, type FeedPosition } from '../feed/feed-position.ts';
import type { Connection, InOrganisation } from './connection.ts';
import { readCursor, signCursor } from './feed-cursor.ts';
import {
  readFeedAfter,
  readGeneration,
  readResumeFacts,
  readSnapshotPage,
  viewFeedSubjects,
} from './feed-reader.ts';
import type { FeedWakes } from './feed-wakes.ts';
import { beginNewGeneration } from './history-store.ts';
import type { ProviderNames } from './operation-reader.ts';
import { installation } from './schema.ts';
import { sharedFeedReads, type ReadFeed } from './shared-feed-reads.ts';

export type FeedDependencies = {
  readonly connection: Connection;
  readonly inOrganisation: InOrganisation;
  readonly wakes: FeedWakes;
  readonly providerName: ProviderNames;
  /** Names a new generation of history: any text that was never used before. */
  readonly mintGeneration: () => string;
};

const snapshotPageSize = 200;

/** Ends an open stream: versions count from another beginning now, and whoever comes back is told to start over. */
class HistoryBeganAnew extends Error {
  constructor() {
    super('a new generation of history began; the client starts over');
  }
}

/** An organisation's feed: without gaps, never backwards, and honest about restored history. */
export const createFeed = (dependencies: FeedDependencies): Feed => {
  const { inOrganisation, wakes } = dependencies;
  const key = rememberedKey(dependencies.connection);
  const readShared = sharedFeedReads(readBatch(dependencies, key));
  return {
    resume: async (who, cursor) => {
      const position = readCursor(await key(), cursor);
      const facts = await inOrganisation(who.organisationId, readResumeFacts);
      const verdict = judgeResume(position, facts);
      switch (verdict.kind) {
        case 'resume':
          return { kind: 'resume', cursor };
        case 'reset':
          return verdict;
        case 'rewound':
          await beginNewGeneration(
            dependencies.connection,
            dependencies.mintGeneration(),
            'A client proved that history was put back.',
          );
          return { kind: 'reset', reason: 'history-restored' };
      }
    },
    snapshot: (who) => readSnapshot(dependencies, key, who),
    changesAfter: (who, cursor, limit) => readShared(who.organisationId, cursor, limit),
    watch: (organisationId, wake) => wakes.watch(organisationId, wake),
    generation: (organisationId) => inOrganisation(organisationId, readGeneration),
  };
};

/** One page of changes after a cursor, and the cursor behind it. It is the same for everyone of the organisation. */
const readBatch =
  ({ inOrganisation, providerName }: FeedDependencies, key: () => Promise<Uint8Array>): ReadFeed =>
  async (organisationId, cursor, limit) => {
    const position = readCursor(await key(), cursor);
    if (position?.organisationId !== organisationId) {
      throw new Error('changesAfter takes a cursor that resume or snapshot gave');
    }
    return inOrganisation(organisationId, async (tx) => {
      if ((await readGeneration(tx)) !== position.generation) throw new HistoryBeganAnew();
      const rows = await readFeedAfter(tx, position, limit);
      const last = rows.at(-1);
      if (last === undefined) return { changes: [], cursor };
      const changes = await viewFeedSubjects(tx, rows, providerName);
      const next = { ...position, transactionId: last.transactionId, rowId: last.id };
      return { changes, cursor: signCursor(await key(), next) };
    });
  };

/** The key is made with the database and never changes, so one reading is enough. */
const rememberedKey = (connection: Connection): (() => Promise<Uint8Array>) => {
  let known: Uint8Array | undefined;
  return async () => {
    if (known !== undefined) return known;
    const [row] = await connection.db.select({ cursorKey: installation.cursorKey }).from(installation);
    if (row === undefined) throw new Error('the database has no cursor key; run the migrations');
    known = row.cursorKey;
    return known;
  };
};

type SnapshotPage = { readonly changes: readonly FeedChange[]; readonly cursor: FeedCursor | null };

/**
 * Everything there is, in pages. The horizon is taken first, so whatever commits while the pages are read comes
 * again as a change: some things twice, none never.
 */
async function* readSnapshot(
  { inOrganisation, providerName }: FeedDependencies,
  key: () => Promise<Uint8Array>,
  who: Principal,
): AsyncIterable<SnapshotPage> {
  const facts = await inOrganisation(who.organisationId, readResumeFacts);
  const start: FeedPosition = {
    organisationId: who.organisationId,
    generation: facts.generation,
    transactionId: facts.horizon,
    rowId: 0,
  };
  for (const subject of ['order', 'ticket', 'operation'] as const) {
    let afterId: string | null = null;
    for (;;) {
      const from: string | null = afterId;
      const page = await inOrganisation(who.organisationId, async (tx) => {
        const ids = await readSnapshotPage(tx, subject, from, snapshotPageSize);
        const rows = ids.map((subjectId) => ({ subject, subjectId }));
        return { ids, changes: await viewFeedSubjects(tx, rows, providerName) };
      });
      if (page.changes.length > 0) yield { changes: page.changes, cursor: null };
      const last = page.ids.at(-1);
      if (last === undefined || page.ids.length < snapshotPageSize) break;
      afterId = last;
    }
  }
  yield { changes: [], cursor: signCursor(await key(), start) };
}
