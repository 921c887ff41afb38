import { and, eq, gt, gte, isNotNull, lt, lte, sql, type SQL, type SQLWrapper } from 'drizzle-orm';
import type { BehindFigure } from '../engine-interface.ts';
import type { OrganisationTransaction } from './connection.ts';
import type { CountedName } from './counted-store.ts';
import { attempts, counted, operations } from './schema.ts';

const countedAs = {
  duplicates: 'duplicate_actions',
  absorbed: 'replays_absorbed',
  reconciled: 'reconciliation_seconds',
  reversed: 'late_reversals',
} as const satisfies Record<string, CountedName>;

const within = (column: typeof counted.at | typeof attempts.startedAt, asked: BehindFigure): SQL[] => [
  ...(asked.from === undefined ? [] : [gte(column, new Date(asked.from))]),
  ...(asked.until === undefined ? [] : [lt(column, new Date(asked.until))]),
];

/** Gathered once, then looked up by key: newest-first over everything must not walk through what is not of the figure. */
const oneOf = (ids: SQLWrapper): SQL => sql`${operations.id} = any(array(${ids}))`;

/** Operations that were counted into a figure. What was counted before operations were kept beside is not found. */
const ofCounted = (tx: OrganisationTransaction, name: CountedName, asked: BehindFigure): SQL =>
  oneOf(
    tx.db
      .selectDistinct({ id: counted.operationId })
      .from(counted)
      .where(
        and(
          eq(counted.organisationId, tx.organisationId),
          eq(counted.name, name),
          isNotNull(counted.operationId),
          asked.label === undefined ? undefined : eq(counted.label, asked.label),
          ...within(counted.at, asked),
        ),
      ),
  );

const ofAttempts = (tx: OrganisationTransaction, asked: BehindFigure): SQL =>
  oneOf(
    tx.db
      .selectDistinct({ id: attempts.operationId })
      .from(attempts)
      .where(
        and(
          eq(attempts.organisationId, tx.organisationId),
          asked.figure === 'answered' ? isNotNull(attempts.status) : undefined,
          asked.label === undefined
            ? undefined
            : asked.label === 'under-way'
              ? sql`${attempts.result} is null`
              : sql`${attempts.result} = ${asked.label}`,
          ...within(attempts.startedAt, asked),
        ),
      ),
  );

const unknownFor = (tx: OrganisationTransaction, asked: BehindFigure): SQL | undefined => {
  const before = (seconds: number): Date => new Date(tx.now.getTime() - seconds * 1_000);
  return and(
    eq(operations.state, 'outcome_unknown'),
    asked.oldestFromSeconds === undefined
      ? undefined
      : lte(operations.unknownSince, before(asked.oldestFromSeconds)),
    asked.oldestBelowSeconds === undefined
      ? undefined
      : gt(operations.unknownSince, before(asked.oldestBelowSeconds)),
  );
};

/** The operations behind a figure, as one more condition on a list of them. */
export const behindFigure = (tx: OrganisationTransaction, asked: BehindFigure): SQL | undefined => {
  switch (asked.figure) {
    case 'duplicates':
    case 'absorbed':
    case 'reconciled':
    case 'reversed':
      return ofCounted(tx, countedAs[asked.figure], asked);
    case 'attempts':
    case 'answered':
      return ofAttempts(tx, asked);
    case 'unknown':
      return unknownFor(tx, asked);
  }
};
