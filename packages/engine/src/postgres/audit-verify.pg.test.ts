import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '@holdfast/operation';
import {
  ada,
  approval,
  ben,
  createEngineHouse,
  decision,
  mint,
  operationIn,
  proposal,
  withdrawal,
  type EngineHouse,
} from '../../test/engine-house.ts';
import { chainHash, type ChainFault } from '../audit/audit-chain.ts';
import { verifyAudit } from './audit-verify.ts';

let house: EngineHouse;
beforeAll(async () => {
  house = await createEngineHouse();
});
afterAll(() => house.close());

const proposed = async (): Promise<Operation> =>
  operationIn((await house.give(ada, proposal(await house.order(), 1_000)))[0]);
const denied = async (): Promise<Operation> => {
  const operation = await proposed();
  await house.give(ben, approval(operation));
  return operationIn((await house.give(ben, decision('deny', operation.id)))[0]);
};

const verify = async () => {
  const faults: ChainFault[] = [];
  const read = await verifyAudit(house.runtime.inOrganisation, house.organisationId, (fault) =>
    faults.push(fault),
  );
  return { read, faults };
};
const run = (text: string, id: string) => house.database.admin.unsafe(text.replaceAll('$id', `'${id}'`));

type Planted = readonly [what: string, plant: (operation: Operation) => Promise<unknown>, sequence: number];

/** A forger who can compute hashes: the entry is chained as ours are. */
const appendForged = async ({ id, version }: Operation): Promise<void> => {
  const [head] = await house.database.admin<{ sequence: number; hash: string }[]>`
    select sequence, hash from audit where operation_id = ${id} order by sequence desc limit 1`;
  const at = new Date();
  const entry = {
    organisationId: house.organisationId,
    operationId: id,
    sequence: (head?.sequence ?? 0) + 1,
    at: at.toISOString(),
    type: 'observed-confirmed',
    actorId: null,
    commandId: null,
    state: 'confirmed',
    version,
    data: {},
  };
  const hash = chainHash(head?.hash ?? '', entry);
  await house.database
    .admin`insert into audit (org_id, operation_id, sequence, at, type, state, version, data,
    previous_hash, hash) values (${entry.organisationId}, ${id}, ${entry.sequence}, ${at}, ${entry.type},
    ${entry.state}, ${version}, '{}', ${head?.hash ?? ''}, ${hash})`;
};

const planted: readonly Planted[] = [
  [
    'an entry that was edited',
    ({ id }) => run(`update audit set actor_id = 'x' where operation_id = $id and sequence = 2`, id),
    2,
  ],
  [
    'an entry taken out of the middle',
    ({ id }) => run('delete from audit where operation_id = $id and sequence = 2', id),
    3,
  ],
  [
    'an entry put in',
    ({ id }) =>
      run(
        `update audit set sequence = 4 where operation_id = $id and sequence = 3;
         insert into audit select org_id, operation_id, 3, at, type, actor_id, command_id, state, version, data,
           previous_hash, hash from audit where operation_id = $id and sequence = 2`,
        id,
      ),
    3,
  ],
  ['an entry put on the end by one who can chain', appendForged, 4],
  ['a cut tail', ({ id }) => run('delete from audit where operation_id = $id and sequence = 3', id), 2],
  ['a whole history that is gone', ({ id }) => run('delete from audit where operation_id = $id', id), 0],
  ['a changed amount', ({ id }) => run('update operations set amount_minor = 999 where id = $id', id), 1],
  ['a changed customer', ({ id }) => run(`update operations set customer_id = 'x' where id = $id`, id), 1],
  [
    'a changed fingerprint',
    ({ id }) => run(`update operations set fingerprint = repeat('a', 64) where id = $id`, id),
    1,
  ],
  [
    'a changed approver',
    ({ id }) => run(`update approvals set actor_id = 'user-cleo' where operation_id = $id`, id),
    2,
  ],
  [
    'a changed time of an approval',
    ({ id }) =>
      run(`update approvals set approved_at = approved_at + interval '1 ms' where operation_id = $id`, id),
    2,
  ],
  ['an approval that is gone', ({ id }) => run('delete from approvals where operation_id = $id', id), 2],
  [
    'an approval that was ended by nobody',
    ({ id }) => run(`update approvals set voided_at = '2026-01-01' where operation_id = $id`, id),
    2,
  ],
  [
    'an approval put in',
    ({ id }) =>
      run(
        `insert into approvals (org_id, operation_id, command_id, actor_id, person, role, via, fingerprint, approved_at)
         select org_id, operation_id, gen_random_uuid(), 'user-cleo', 'user-cleo', role, via, fingerprint, approved_at
         from approvals where operation_id = $id`,
        id,
      ),
    0,
  ],
  [
    'an approval put in under the command that proposed',
    ({ id }) =>
      run(
        `insert into approvals (org_id, operation_id, command_id, actor_id, person, role, via, fingerprint, approved_at)
         select org_id, operation_id, operation_id, 'user-cleo', 'user-cleo', role, via, fingerprint, approved_at
         from approvals where operation_id = $id`,
        id,
      ),
    0,
  ],
  [
    'another policy of an approval',
    ({ id }) => run('update approvals set policy_version = policy_version + 1 where operation_id = $id', id),
    2,
  ],
  [
    'a reason for the end of an approval that stands',
    ({ id }) => run(`update approvals set void_reason = 'taken back' where operation_id = $id`, id),
    2,
  ],
  [
    'another person as its proposer',
    ({ id }) => run(`update operations set proposed_person = 'x' where id = $id`, id),
    1,
  ],
  [
    'another role of its proposer',
    ({ id }) => run(`update operations set proposed_role = 'admin' where id = $id`, id),
    1,
  ],
  [
    'another way in which it was proposed',
    ({ id }) => run(`update operations set proposed_via = 'owned-key' where id = $id`, id),
    1,
  ],
  [
    'another policy of its proposal',
    ({ id }) =>
      run('update operations set proposed_policy_version = proposed_policy_version + 1 where id = $id', id),
    1,
  ],
  ['another proposer', ({ id }) => run(`update operations set proposed_by = 'x' where id = $id`, id), 1],
  [
    'an operation that is gone from beside its history',
    ({ id }) =>
      // Only who owns the database can get past the key that ties the two together.
      run(
        'set session_replication_role = replica; delete from operations where id = $id; reset session_replication_role',
        id,
      ),
    0,
  ],
  ['a changed state', ({ id }) => run(`update operations set state = 'expired' where id = $id`, id), 3],
  ['a changed version', ({ id }) => run('update operations set version = version + 1 where id = $id', id), 3],
];

describe('verifying the audit', () => {
  it('finds nothing in what nobody touched, whatever state it is in and however often it was on hold', async () => {
    // Red when: what a hold changes in `approved` is taken for a cut tail, a remembered ID for a proposal, or
    // a hold leaves no entry.
    await denied();
    await proposed();
    const waiting = await proposed();
    await house.give(ben, approval(waiting));
    await house.engine.hold.set(house.organisationId, true, 'someone', null);
    await house.engine.hold.set(house.organisationId, false, 'someone', null);
    await house.give(ada, decision('cancel', mint()));
    const { read, faults } = await verify();
    expect(faults).toEqual([]);
    // Of operations seven, and the hold's two.
    expect(read).toMatchObject({ operations: 4, entries: 9 });
    const acts = await house.database.admin`
      select type, actor_id from organisation_audit where subject = 'organisation' order by sequence`;
    expect(acts.map((row) => ({ ...row }))).toEqual([
      { type: 'hold-on', actor_id: 'someone' },
      { type: 'hold-off', actor_id: 'someone' },
    ]);
  });

  it('finds nothing in an approval of the policy’s own, and in approvals that were taken back or sent back', async () => {
    // Red when: the policy's own approval, which has no command, is looked for by one; or a true end is not believed.
    await house.database.admin`update organisations set policy = policy || ${house.database.admin.json({
      automaticApproval: { roles: ['agent'], upTo: [{ minor: 500, currency: 'EUR' }] },
    })}`;
    const automatic = operationIn((await house.give(ada, proposal(await house.order(), 500)))[0]);
    const takenBack = await proposed();
    await house.give(ben, approval(takenBack));
    await house.give(ben, withdrawal(takenBack.id));
    await house.database.admin`update organisations set policy = policy - 'automaticApproval'`;
    const { faults } = await verify();
    expect(
      faults.filter(({ operationId }) => operationId === automatic.id || operationId === takenBack.id),
    ).toEqual([]);
    const rows = await house.database.admin`select person, void_reason from approvals
      where operation_id in ${house.database.admin([automatic.id, takenBack.id])} order by person`;
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { person: 'policy', void_reason: null },
      { person: 'user-ben', void_reason: 'taken back' },
    ]);
    const id = automatic.id;
    await run(`update approvals set role = 'admin' where operation_id = $id`, id);
    expect((await verify()).faults.filter(({ operationId }) => operationId === id)).toHaveLength(1);
  });

  // Red when: the check that this row names is left out of `operationChecks`, `faultsOfChain` or `verifyNoneIsGone`.
  it.each(planted)('finds %s, and where', async (_what, plant, sequence) => {
    const operation = await denied();
    await plant(operation);
    const { faults } = await verify();
    const own = faults.filter(({ operationId }) => operationId === operation.id);
    expect(own.map((fault) => fault.sequence)).toContain(sequence);
  });
});
