import {
  organisationTransactions,
  type Connection,
  type InOrganisation,
  type ReadClock,
} from './connection.ts';
import { createFeedWakes, type FeedWakes } from './feed-wakes.ts';

/** What the engine and the worker of one process share: its transactions, and who is woken after them. */
export type Runtime = {
  readonly connection: Connection;
  readonly inOrganisation: InOrganisation;
  readonly wakes: FeedWakes;
  /** Stops listening and polling. Close it before the connection. */
  readonly close: () => Promise<void>;
};

export const createRuntime = (connection: Connection, readClock?: ReadClock): Runtime => {
  const clock = readClock === undefined ? {} : { readClock };
  // Looking at the feed writes nothing, so it needs no one to tell.
  const wakes = createFeedWakes(connection, organisationTransactions(connection, clock));
  const inOrganisation = organisationTransactions(connection, { ...clock, onFeedWritten: wakes.written });
  return { connection, inOrganisation, wakes, close: wakes.close };
};
