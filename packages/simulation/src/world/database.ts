import { createHash } from 'node:crypto';
import { migrationTexts } from '@holdfast/engine/postgres/parts';
import { defaultPolicy, type Policy } from '@holdfast/operation';
import { createPretendPostgres, type Backup, type PretendPostgres } from '../postgres/pretend-postgres.ts';

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

/** What the one database of this process asks of whichever history runs. */
export type DatabaseWorld = { nowMs: () => number; randomUuid: () => string };

export type SharedDatabase = {
  readonly postgres: PretendPostgres;
  readonly world: DatabaseWorld;
  /** The state in which each history begins. */
  readonly fresh: Backup;
};

const textId = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

export const policyOfHistories: Policy = { ...defaultPolicy, version: 1 };

/** Built once a process: statements are compiled once, and each history puts the tables back to the beginning. */
export const createSharedDatabase = async (): Promise<SharedDatabase> => {
  const world: DatabaseWorld = { nowMs: () => 0, randomUuid: () => '' };
  const postgres = createPretendPostgres(await migrationTexts(), {
    nowMs: () => world.nowMs(),
    randomUuid: () => world.randomUuid(),
  });
  const open = postgres.begin();
  open.ask(`insert into installation (cursor_key, default_org_id) values (decode($1, 'hex'), $2)`, [
    textId('cursor key'),
    organisationId,
  ]);
  open.ask(
    `insert into organisations (org_id, name, generation, policy) values ($1, 'Shop', 'first', $2::jsonb)`,
    [organisationId, JSON.stringify(policyOfHistories)],
  );
  for (const { id, role } of people) {
    open.ask('insert into members (org_id, user_id, role, name, email) values ($1, $2, $3, $2, $2)', [
      organisationId,
      id,
      role,
    ]);
  }
  open.commit();
  return { postgres, world, fresh: postgres.backup() };
};
