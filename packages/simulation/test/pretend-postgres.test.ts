import { migrationTexts } from '@holdfast/engine/postgres/parts';
import { expect, test } from 'vitest';
import { createPretendPostgres } from '../src/postgres/pretend-postgres.ts';

const opened = async () => {
  const world = { nowMs: () => 1_000, randomUuid: () => '00000000-0000-4000-8000-000000000001' };
  const postgres = createPretendPostgres(await migrationTexts(), world);
  const ask = (text: string, parameters: readonly string[] = []) => {
    const open = postgres.begin();
    try {
      const answer = open.ask(text, parameters);
      open.commit();
      return answer;
    } catch (trouble) {
      open.rollback();
      throw trouble;
    }
  };
  ask(`insert into organisations (org_id, name, generation, policy) values ('o', 'Shop', 'first', '{}')`);
  return { postgres, ask };
};

// Red when: a text that is cast to JSON stays a text, as it once did here, so that no policy ever changed.
test('what is cast to JSON is read as JSON', async () => {
  const { ask } = await opened();
  ask(`update organisations set policy = $1::text::jsonb`, ['{"version": 2}']);
  expect(ask(`select (policy->>'version')::integer as version from organisations`).rows).toEqual([[2]]);
});

// Red when: keys, checks or rollbacks of the shipped migrations are not kept.
test('keys and checks of the shipped migrations are kept, and what broke leaves nothing behind', async () => {
  const { ask, postgres } = await opened();
  const payment = `insert into payments (org_id, provider, payment_reference, currency, captured) values ('o', 'stripe', 'pi', 'EUR', $1)`;
  expect(() => ask(payment, ['0'])).toThrow(/violates check constraint/);
  ask(payment, ['100']);
  expect(() => ask(payment, ['100'])).toThrow(/duplicate key/);
  expect(postgres.rowsOf('payments')).toHaveLength(1);
});
