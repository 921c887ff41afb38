import { createHash } from 'node:crypto';
import { migrationTexts } from '@holdfast/engine/postgres/parts';
import { defaultPolicy } from '@holdfast/operation';
import { createPretendDriver, createTurns } from '../postgres/pretend-driver.ts';
import { createPretendPostgres, type PretendPostgres } from '../postgres/pretend-postgres.ts';
import type { Value } from '../postgres/values.ts';
import type { DatabaseWorld, HistoryDatabase } from './history-database.ts';

export const organisationId = 'org-1';

export type Person = {
  readonly id: string;
  readonly role: 'agent' | 'approver' | 'operator' | 'admin';
};

/** Everybody of the organisation: approvers never propose here, so who approved is always somebody else. */
export const people: readonly Person[] = [
  { id: 'ada', role: 'agent' },
  { id: 'amy', role: 'agent' },
  { id: 'ben', role: 'approver' },
  { id: 'bob', role: 'approver' },
  { id: 'olga', role: 'operator' },
  { id: 'otto', role: 'operator' },
  { id: 'eve', role: 'admin' },
  { id: 'eli', role: 'admin' },
];

const textId = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

type Statement = { readonly text: string; readonly parameters: readonly Value[] };

/** The organisation that every history begins with. */
export const firstStatements: readonly Statement[] = [
  {
    text: `insert into installation (cursor_key, default_org_id) values (decode($1, 'hex'), $2)`,
    parameters: [textId('cursor key'), organisationId],
  },
  {
    text: `insert into organisations (org_id, name, generation, policy) values ($1, 'Shop', 'first', $2::text::jsonb)`,
    parameters: [organisationId, JSON.stringify(defaultPolicy)],
  },
  ...people.map(({ id, role }) => ({
    text: 'insert into members (org_id, user_id, role, name, email) values ($1, $2, $3, $2, $2)',
    parameters: [organisationId, id, role],
  })),
];

const carryOut = (postgres: PretendPostgres, statements: readonly Statement[]): void => {
  const open = postgres.begin();
  for (const { text, parameters } of statements) open.ask(text, parameters);
  open.commit();
};

/**
 * Built once a process: statements are compiled once, and each history puts the tables back to the beginning.
 * @param watched for those who listen to what is said to it
 */
export const createSharedDatabase = async (
  watched: (postgres: PretendPostgres, world: DatabaseWorld) => PretendPostgres = (postgres) => postgres,
): Promise<HistoryDatabase> => {
  const world: DatabaseWorld = { nowMs: () => 0, randomUuid: () => '' };
  const pretended = createPretendPostgres(await migrationTexts(), {
    nowMs: () => world.nowMs(),
    randomUuid: () => world.randomUuid(),
  });
  const postgres = watched(pretended, world);
  carryOut(postgres, firstStatements);
  const fresh = postgres.backup();
  let takeTurn = createTurns();
  return {
    world,
    beginMs: Date.UTC(2026, 0, 5, 9, 0, 0),
    begin: () => {
      postgres.restore(fresh);
      takeTurn = createTurns();
      return Promise.resolve();
    },
    driverFor: (gate) => {
      const turns = takeTurn;
      return createPretendDriver(postgres, () => turns(), gate);
    },
    rowsOf: (table) => Promise.resolve(postgres.rowsOf(table)),
    backup: () => {
      const kept = postgres.backup();
      return () => {
        postgres.restore(kept);
        takeTurn = createTurns();
      };
    },
    administer: (text, parameters) => Promise.resolve(carryOut(postgres, [{ text, parameters }])),
    quiet: null,
  };
};
