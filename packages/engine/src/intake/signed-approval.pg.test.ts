import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Assertion, Operation } from '@holdfast/operation';
import {
  ada,
  approval,
  ben,
  cleo,
  createEngineHouse,
  mint,
  operationIn,
  problemIn,
  proposal,
  slugIn,
  type EngineHouse,
} from '../../test/engine-house.ts';
import type { SignatureVerdict } from './approval-signature.ts';

const assertion: Assertion = {
  credentialId: 'Y3JlZA',
  authenticatorData: 'YXV0aA',
  clientDataJSON: 'Y2xpZW50',
  signature: 'c2ln',
  signedAt: '2026-03-01T06:00:00.000Z',
  expiresAt: '2026-03-08T06:00:00.000Z',
};

let house: EngineHouse;
/** What the port answers to each assertion, and what it was asked. */
let answer: (signature: string) => Exclude<SignatureVerdict, { kind: 'unsigned' }>;
let asked: unknown[] = [];
const good = (counter = 0): Exclude<SignatureVerdict, { kind: 'unsigned' }> => ({
  kind: 'signed',
  proof: {
    assertion,
    publicKey: 'a2V5',
    relyingPartyId: 'localhost',
    origin: 'http://localhost:4780',
    counter,
  },
});

beforeAll(async () => {
  house = await createEngineHouse({
    verifyAssertion: (_actor, statement, given) => {
      asked.push(statement);
      return Promise.resolve(answer(given.signature));
    },
  });
  await house.database.admin`insert into sign_in."user" (id, name, email) values (${ben.id}, 'Ben', 'ben')`;
  await house.database.admin`insert into sign_in.passkey
      (id, credential_id, public_key, counter, user_id, name, rp_id, origin, backed_up)
    values ('passkey-1', ${assertion.credentialId}, '\\x00', 0, ${ben.id}, 'Tablet', 'localhost', 'http://localhost', false)`;
});
afterAll(() => house.close());

const proposed = async (): Promise<Operation> =>
  operationIn((await house.give(ada, proposal(await house.order(), 1_000)))[0]);
const stored = (operation: Operation) => house.database.admin<
  { signed: boolean; public_key: string | null }[]
>`
  select a.signed, s.public_key from approvals a
  left join approval_signatures s using (org_id, operation_id, command_id) where a.operation_id = ${operation.id}`;

describe('an approval with an assertion', () => {
  // Red when: the proof is not written with its approval, or the audit does not name it.
  it('that is good is recorded as signed, with its proof and its hash in the audit', async () => {
    const operation = await proposed();
    answer = () => good();
    asked = [];
    const command = approval(operation, { assertion });
    const [result] = await house.give(ben, command);
    expect(operationIn(result).approvals).toMatchObject([{ signed: true }]);
    expect(await stored(operation)).toEqual([{ signed: true, public_key: 'a2V5' }]);
    expect(asked).toEqual([
      {
        organisationId: house.organisationId,
        approverId: ben.id,
        operationId: operation.id,
        fingerprint: operation.fingerprint,
        seen: null,
        commandId: command.commandId,
        signedAt: assertion.signedAt,
        expiresAt: assertion.expiresAt,
      },
    ]);
    const [entry] = await house.database.admin<{ data: Record<string, unknown> }[]>`
      select data from audit where operation_id = ${operation.id} and type = 'approve'`;
    expect(entry?.data).toMatchObject({
      signed: true,
      signature: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
  });

  // Red when: a wrong assertion is dropped and the approval counted as unsigned, or its refusal binds the command's ID.
  it('that is wrong is refused as invalid, counts as nothing and binds nothing', async () => {
    const operation = await proposed();
    answer = () => ({ kind: 'wrong', because: 'expired' });
    const command = approval(operation, { assertion });
    const [refused] = await house.give(ben, command);
    expect(slugIn(refused)).toBe('invalid');
    expect(problemIn(refused)).toMatchObject({ final: true, issues: [{ path: 'assertion' }] });
    expect(await stored(operation)).toEqual([]);
    answer = () => good();
    expect((await house.give(ben, command))[0]).toMatchObject({ status: 'applied' });
  });

  // Red when: the transaction that records it does not look whether its passkey still lives.
  it('whose passkey was revoked after it was verified is refused, and nothing is recorded', async () => {
    const operation = await proposed();
    const { admin } = house.database;
    answer = () => good();
    await admin`update sign_in.passkey set revoked_at = now(), revoked_by = ${ben.id}`;
    const [refused] = await house.give(ben, approval(operation, { assertion }));
    await admin`update sign_in.passkey set revoked_at = null, revoked_by = null`;
    expect(problemIn(refused).detail).toContain('was revoked');
    expect(await stored(operation)).toEqual([]);
    expect((await house.engine.getOperation(house.as(ada), operation.id))?.state).toBe('proposed');
  });

  // Red when: a replay is verified anew: what was accepted once would be refused after its expiry.
  it('is answered the same again after its assertion expired', async () => {
    const operation = await proposed();
    answer = () => good();
    const command = approval(operation, { assertion });
    await house.give(ben, command);
    answer = () => ({ kind: 'wrong', because: 'expired' });
    expect((await house.give(ben, command))[0]).toMatchObject({ status: 'replayed' });
    expect(await stored(operation)).toHaveLength(1);
  });

  // Red when: the digest of a command leaves its assertion out.
  it('under a known command ID with another assertion is another command', async () => {
    const operation = await proposed();
    answer = () => good();
    const command = approval(operation, { assertion });
    await house.give(ben, command);
    const [other] = await house.give(ben, {
      ...command,
      assertion: { ...assertion, signature: 'b3RoZXI' },
    } as typeof command);
    expect(slugIn(other)).toBe('operation-mismatch');
  });

  // Red when: a count that another approval carried is taken once more, one after the other or both at once.
  it('by a counting passkey carries a count that no other approval carries, in whichever order they come', async () => {
    const [one, two, three] = [await proposed(), await proposed(), await proposed()];
    answer = () => good(5);
    const both = await Promise.all([
      house.give(ben, approval(one, { assertion })),
      house.give(cleo, approval(two, { assertion })),
    ]);
    expect(
      both
        .flat()
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['applied', 'rejected']);
    answer = () => good(4);
    expect((await house.give(ben, approval(three, { assertion })))[0]).toMatchObject({ status: 'applied' });
  });

  // Red when: an assertion sent by a program is looked at at all, or dropped.
  it('given by a key is refused: only a person signs', async () => {
    const operation = await proposed();
    answer = () => good();
    asked = [];
    const keys = await createEngineHouse({ keysMayDecide: true });
    try {
      const command = approval(operation, { assertion });
      const [refused] = await keys.engine.apply(keys.as({ ...ben, via: 'owned-key' }), [
        { ok: true, command },
      ]);
      expect(slugIn(refused)).toBe('invalid');
    } finally {
      await keys.close();
    }
  });

  // Red when: the rule is not asked at intake, the threshold itself counts as above, or a key's approval suffices.
  it('is needed above the amount that the policy names: without one it is refused in words and stays proposed', async () => {
    await house.database.admin`update organisations set policy = policy || ${house.database.admin.json({
      signatureRequired: { above: [{ minor: 999, currency: 'EUR' }] },
    })}`;
    try {
      const operation = await proposed();
      const [refused] = await house.give(ben, approval(operation));
      expect(slugIn(refused)).toBe('not-eligible');
      expect(problemIn(refused)).toMatchObject({ reasons: [{ reason: 'signature-missing' }] });
      expect(await stored(operation)).toEqual([]);
      answer = () => good();
      const [taken] = await house.give(ben, approval(operation, { assertion }));
      expect(operationIn(taken)).toMatchObject({ state: 'approved', approvals: [{ signed: true }] });
    } finally {
      await house.database.admin`update organisations set policy = policy - 'signatureRequired'`;
    }
  });

  // Red when: approvals without an assertion stop being taken, or are shown as signed.
  it('that carries none is recorded as unsigned', async () => {
    const operation = await proposed();
    const [result] = await house.give(ben, approval(operation, { commandId: mint() }));
    expect(operationIn(result).approvals).toMatchObject([{ signed: false }]);
    expect(await stored(operation)).toEqual([{ signed: false, public_key: null }]);
  });
});
