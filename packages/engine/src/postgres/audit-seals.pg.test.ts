import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '@holdfast/operation';
import {
  ada,
  approval,
  ben,
  createEngineHouse,
  operationIn,
  proposal,
  type EngineHouse,
} from '../../test/engine-house.ts';
import { eventually } from '../../test/postgres-rig.ts';
import { chainHash, type ChainFault } from '../audit/audit-chain.ts';
import type { Seal } from '../audit/seal.ts';
import { sealAudit } from './audit-sealing.ts';
import { verifyAudit } from './audit-verify.ts';
import { verifySeals, type TrustedSeals } from './audit-verify-seals.ts';
import { appendOrganisationAudit } from './organisation-audit.ts';
import { sealSigner } from './seal-signature.ts';
import { newestSeal } from './seal-store.ts';

const signer = sealSigner(new Uint8Array(32).fill(7));
const trusted: TrustedSeals = { keys: [signer.publicKey], kept: [] };

let house: EngineHouse;
beforeAll(async () => {
  house = await createEngineHouse();
});
afterAll(() => house.close());

const proposed = async (): Promise<Operation> =>
  operationIn((await house.give(ada, proposal(await house.order(), 1_000)))[0]);
const run = (text: string) => house.database.admin.unsafe(text);
const seal = (by = signer, most?: number) =>
  sealAudit(house.runtime.inOrganisation, house.organisationId, by, most);
const verify = async (what = trusted): Promise<ChainFault[]> => {
  const faults: ChainFault[] = [];
  await verifyAudit(house.runtime.inOrganisation, house.organisationId, (fault) => faults.push(fault), what);
  return faults;
};
const newest = () => house.runtime.inOrganisation(house.organisationId, newestSeal) as Promise<Seal>;

/** Other databases of the cluster hold the horizon back too: sealed once nothing of before is under way anywhere. */
const sealAll = async (by = signer, most?: number): Promise<void> => {
  await eventually(async () => {
    await seal(by, most);
    const [open] = await house.database.admin<{ open: boolean }[]>`
      select exists (
        select from (select 'operation ' || operation_id as chain, sequence from audit
          union all select subject, sequence from organisation_audit) e
        where not exists (select from audit_seal_heads h where h.chain = e.chain and h.sequence >= e.sequence)
      ) as open`;
    return open?.open === false;
  });
};

/** An operation proposed and approved, and a member's role: everything sealed. */
const sealed = async (): Promise<Operation> => {
  const operation = await proposed();
  await house.give(ben, approval(operation));
  await sealAll();
  return operation;
};
const chainOf = ({ id }: Operation) => `operation ${id}`;
const faultsAbout = async (chain: string, what?: TrustedSeals) =>
  (await verify(what)).filter((fault) => fault.chain === chain).map(({ because }) => because);

describe('seals', () => {
  it('hold every chain there is, in bounded parts, and what grows since; nothing is found in what nobody touched', async () => {
    // Red when: a part leaves out what the limit cuts off, or the next seal does not go on where the last one ended.
    const operations = [
      await proposed(),
      await proposed(),
      await proposed(),
      await proposed(),
      await proposed(),
    ];
    await house.runtime.inOrganisation(house.organisationId, (tx) =>
      appendOrganisationAudit(tx, { type: 'role-changed', by: 'user-boss', subject: 'member one' }),
    );
    await sealAll(signer, 2);
    for (const operation of operations) await house.give(ben, approval(operation));
    await sealAll(signer, 2);
    const [largest] = await house.database
      .admin`select max(heads)::int as heads, count(*)::int as seals from audit_seals`;
    expect(largest?.['heads']).toBeLessThanOrEqual(2);
    const [held] = await house.database.admin`
      select count(distinct chain)::int as chains from audit_seal_heads`;
    expect(held).toEqual({ chains: 6 });
    expect(await verify({ ...trusted, kept: [await newest()] })).toEqual([]);
    expect(await seal()).toBeUndefined();
  });

  it('leave out what is still being written, hold up nobody, and take it with the next one', async () => {
    // Red when: entries past the horizon are passed over for good, or sealing waits for a transaction or makes one wait.
    let commit: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (commit = resolve));
    let written: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (written = resolve));
    const open = house.runtime.inOrganisation(house.organisationId, async (tx) => {
      await appendOrganisationAudit(tx, { type: 'key-created', by: 'user-boss', subject: 'key slow' });
      written();
      await held;
    });
    await begun;
    const meanwhile = await proposed();
    await seal();
    const heldNow = () => house.database.admin`
      select chain from audit_seal_heads where chain in ('key slow', ${chainOf(meanwhile)})`;
    expect(await heldNow()).toHaveLength(0);
    commit();
    await open;
    await sealAll();
    expect(await heldNow()).toHaveLength(2);
    expect(await verify()).toEqual([]);
  });

  it('show a tail that was cut, also where the operation was set back with it', async () => {
    // Red when: heads are not compared with the entries that are stored now.
    const operation = await sealed();
    await run(`delete from audit where operation_id = '${operation.id}' and sequence = 2;
      delete from approvals where operation_id = '${operation.id}';
      update operations set state = 'proposed', version = 1 where id = '${operation.id}'`);
    expect(await faultsAbout(chainOf(operation))).toEqual([
      expect.stringMatching(/^seal \d+ holds this entry, and it is gone$/),
    ]);
  });

  it('show an operation that was taken out with its whole history, and a chain hashed anew', async () => {
    // Red when: only what is still there is verified.
    const gone = await sealed();
    const forged = await sealed();
    await run(`delete from audit where operation_id = '${gone.id}';
      delete from approvals where operation_id = '${gone.id}'; delete from operations where id = '${gone.id}'`);
    expect((await faultsAbout(chainOf(gone)))[0]).toMatch(/^seal \d+ holds this entry, and it is gone$/);
    const [last] = await house.database
      .admin`select * from audit where operation_id = ${forged.id} and sequence = 2`;
    const entry = {
      organisationId: house.organisationId,
      operationId: forged.id,
      sequence: 2,
      at: (last?.['at'] as Date).toISOString(),
      type: 'approve',
      actorId: 'user-cleo',
      commandId: last?.['command_id'] as string,
      state: 'approved',
      version: last?.['version'] as number,
      data: last?.['data'] as Record<string, string>,
    };
    const hash = chainHash(last?.['previous_hash'] as string, entry);
    await run(`update audit set actor_id = 'user-cleo', hash = '${hash}'
        where operation_id = '${forged.id}' and sequence = 2;
      update approvals set actor_id = 'user-cleo' where operation_id = '${forged.id}'`);
    expect(await faultsAbout(chainOf(forged))).toEqual([
      expect.stringMatching(/^seal \d+ holds another entry in this place$/),
    ]);
  });

  it('show an entry that was put in behind them', async () => {
    // Red when: what the newest seal says is sealed is not looked for in the seals.
    const operation = await sealed();
    await run(`alter table organisation_audit disable trigger stamp_audit_row;
      insert into organisation_audit (org_id, subject, sequence, at, type, data, previous_hash, hash, tx_id)
        values ('${house.organisationId}', 'policy', 1, now(), 'policy-changed', '{}', '', '', '3');
      alter table organisation_audit enable trigger stamp_audit_row`);
    expect(await faultsAbout('policy')).toContainEqual(expect.stringMatching(/^it was put in behind seal/));
    // However small the pages are, none ends before it, and none is read twice.
    for (const atOnce of [1, 2, 3]) {
      const behind: string[] = [];
      const tell = ({ chain, because }: ChainFault) => {
        if (because.startsWith('it was put in behind')) behind.push(chain);
      };
      await verifySeals(house.runtime.inOrganisation, house.organisationId, tell, trusted, atOnce);
      expect(behind, String(atOnce)).toEqual(['policy']);
    }
    await run(`delete from organisation_audit where subject = 'policy'`);
    expect(await faultsAbout(chainOf(operation))).toEqual([]);
  });

  it('show an edited, a removed and an inserted row of a chain that is no operation’s', async () => {
    // Red when: chains of members, keys, policy and the rest are not verified.
    const add = (subject: 'member a' | 'member b' | 'member c', by: string) =>
      house.runtime.inOrganisation(house.organisationId, (tx) =>
        appendOrganisationAudit(tx, { type: 'role-changed', by, subject, data: { to: 'agent' } }),
      );
    for (const by of ['one', 'two', 'three'])
      for (const subject of ['member a', 'member b', 'member c'] as const) await add(subject, by);
    await run(`update organisation_audit set data = '{"to":"admin"}' where subject = 'member a' and sequence = 2;
      delete from organisation_audit where subject = 'member b' and sequence = 2;
      insert into organisation_audit select org_id, subject, 4, at, type, 'forger', data, hash, hash
        from organisation_audit where subject = 'member c' and sequence = 3`);
    expect(await faultsAbout('member a')).toEqual(['its contents are not what was hashed']);
    expect(await faultsAbout('member b')).toContain('an entry is missing before it');
    expect(await faultsAbout('member c')).toEqual(['its contents are not what was hashed']);
    await run(`delete from organisation_audit where subject like 'member _'`);
  });

  it('show when one of them is edited, signed by somebody else, emptied or taken out, the newest by the one kept elsewhere', async () => {
    // Red when: a seal's hash, key, heads or number is not looked at, or one that was kept is not looked for.
    await sealed();
    await sealed();
    const kept = await newest();
    const before = kept.number - 1;
    const atSeals = () => faultsAbout('seals', { ...trusted, kept: [kept] });
    const known = await atSeals();
    expect(known).toEqual([]);
    const plantedAndBack = async (plant: string, back: string) => {
      await run(plant);
      const found = await atSeals();
      await run(back);
      return found;
    };
    const at = `where number = ${String(before)}`;
    expect(
      await plantedAndBack(
        `update audit_seals set at = at + interval '1 ms' ${at}`,
        `update audit_seals set at = at - interval '1 ms' ${at}`,
      ),
    ).toContain('the seal is not what was hashed');
    expect(
      await plantedAndBack(
        `update audit_seal_heads set sequence = sequence + 1 ${at}`,
        `update audit_seal_heads set sequence = sequence - 1 ${at}`,
      ),
    ).toContain('what the seal holds was changed: its root is another');
    const taken = `create table heads_aside as select * from audit_seal_heads; create table seals_aside as select * from audit_seals`;
    await run(taken);
    const putBack = `insert into audit_seals select * from seals_aside s where not exists (select from audit_seals t where t.number = s.number);
      insert into audit_seal_heads select * from heads_aside s where not exists (select from audit_seal_heads t where t.number = s.number)`;
    expect(
      await plantedAndBack(`delete from audit_seal_heads ${at}; delete from audit_seals ${at}`, putBack),
    ).toContain('a seal is missing before it');
    const newestOnly = `where number = ${String(kept.number)}`;
    expect(
      await plantedAndBack(
        `delete from audit_seal_heads ${newestOnly}; delete from audit_seals ${newestOnly}`,
        putBack,
      ),
    ).toEqual(['the seal that was kept elsewhere is not here: the audit was cut after it']);
    expect(await atSeals()).toEqual([]);
    const forger = sealSigner(new Uint8Array(32).fill(9));
    await sealedBy(forger);
    expect(await atSeals()).toEqual(['the seal is signed with a key that is not this installation’s']);
  });
});

const sealedBy = async (by: typeof signer): Promise<void> => {
  await proposed();
  await sealAll(by);
};
