import { sql, type SQL } from 'drizzle-orm';
import { operations } from './schema.ts';

/**
 * A person is needed for it: what `standsBeforePerson` of the operation says, asked of the database. May be null, which is
 * no: where others are wanted, ask `is not true`.
 */
export const standsBeforePerson: SQL = sql`(${operations.attention} <> '[]'
  or (${operations.resolution}->>'waiting' = 'true' and ${operations.state} = 'outcome_unknown'))`;
