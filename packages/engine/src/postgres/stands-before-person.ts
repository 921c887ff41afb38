import { sql, type SQL } from 'drizzle-orm';
import { operations } from './schema.ts';

/**
 * Either there is a reason for a person, or a second operator's word is missing. `needsPerson` is the first of these
 * alone. May be null, which is no.
 */
export const standsBeforePerson: SQL = sql`(${operations.attention} <> '[]'
  or (${operations.resolution}->>'waiting' = 'true' and ${operations.state} = 'outcome_unknown'))`;
