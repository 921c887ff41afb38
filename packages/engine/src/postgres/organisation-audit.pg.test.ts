import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngineHouse, type EngineHouse } from '../../test/engine-house.ts';
import { faultsOfChain } from '../audit/audit-chain.ts';
import { serverRole } from './connection.ts';
import { appendOrganisationAudit, auditingOver } from './organisation-audit.ts';

let house: EngineHouse;
beforeAll(async () => {
  house = await createEngineHouse();
});
afterAll(() => house.close());

const entriesOf = async (subject: string) => {
  const rows = await house.database.admin`
    select * from organisation_audit where subject = ${subject} order by sequence`;
  return rows.map((row) => ({
    organisationId: row['org_id'] as string,
    subject,
    sequence: row['sequence'] as number,
    at: (row['at'] as Date).toISOString(),
    type: row['type'] as string,
    actorId: row['actor_id'] as string | null,
    data: row['data'] as Record<string, string>,
    previousHash: row['previous_hash'] as string,
    hash: row['hash'] as string,
  }));
};

const append = (subject: `member ${string}`, by: string) =>
  house.runtime.inOrganisation(house.organisationId, (tx) =>
    appendOrganisationAudit(tx, { type: 'role-changed', by, subject, data: { to: 'approver' } }),
  );

describe('the audit of what is not about one operation', () => {
  it('is one unbroken chain a subject, whoever writes at the same moment, and goes with what is rolled back', async () => {
    // Red when: the subject's chain is not held until the commit, or an entry is written outside its transaction.
    const both = Array.from({ length: 10 }, (_, number) =>
      append(number % 2 === 0 ? 'member one' : 'member two', `user-${String(number)}`),
    );
    const given = house.runtime.inOrganisation(house.organisationId, async (tx) => {
      await appendOrganisationAudit(tx, { type: 'role-changed', by: 'x', subject: 'member one' });
      throw new Error('not done after all');
    });
    await expect(given).rejects.toThrow('not done after all');
    await Promise.all(both);
    for (const subject of ['member one', 'member two']) {
      const entries = await entriesOf(subject);
      expect(entries.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
      expect(faultsOfChain(entries)).toEqual([]);
    }
  });

  it('grows in the server’s own transactions too, and lets nobody change or delete, or see another’s', async () => {
    // Red when: the server's role may update or delete, or row-level security is not forced.
    const sql = postgres(house.database.url, { max: 1, connection: { role: serverRole } });
    const within = <Result>(organisationId: string, work: (tx: postgres.TransactionSql) => Promise<Result>) =>
      sql.begin(async (tx) => {
        await tx`select set_config('holdfast.organisation_id', ${organisationId}, true)`;
        return work(tx);
      });
    try {
      await within(house.organisationId, (tx) =>
        appendOrganisationAudit(auditingOver(tx, house.organisationId), {
          type: 'key-created',
          by: 'user-boss',
          subject: 'key one',
          data: { role: 'agent', expires: null },
        }),
      );
      expect(faultsOfChain(await entriesOf('key one'))).toEqual([]);
      for (const text of [
        'update organisation_audit set actor_id = null',
        'delete from organisation_audit',
      ]) {
        await expect(within(house.organisationId, (tx) => tx.unsafe(text))).rejects.toThrow(
          'permission denied',
        );
      }
      const other = (await house.engine.createOrganisation('Another')).id;
      const seen = await within(other, (tx) => tx`select org_id, type from organisation_audit`);
      expect([...seen]).toEqual([{ org_id: other, type: 'organisation-created' }]);
    } finally {
      await sql.end();
    }
  });
});
