import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approvalChallengeText, type ApprovalStatement } from '@holdfast/operation';
import type { ChainFault } from '@holdfast/engine';
import { verifySignatures, verifyAudit } from '@holdfast/engine/postgres';
import { recheckProof } from '../src/sign-in/check-assertion.ts';
import { mintId, openHouse, proposalOf, type Answered, type House } from './house-rig.ts';
import { SoftwareAuthenticator } from './software-authenticator.ts';

type Person = { readonly userId: string; readonly cookie: string; readonly passkey: SoftwareAuthenticator };
type Proposed = { readonly id: string; readonly fingerprint: string };

let house: House;
let agent: string;
let ben: Person;
let cleo: Person;

const register = async (userId: string, passkey: SoftwareAuthenticator): Promise<void> => {
  await house.admin`insert into sign_in.passkey (id, credential_id, public_key, counter, user_id, name, rp_id, origin,
    backed_up) values (${randomUUID()}, ${passkey.credentialId}, ${Buffer.from(passkey.publicKey)}, 0, ${userId},
    'Tablet', 'localhost', 'http://localhost:4780', true)`;
};

beforeAll(async () => {
  house = await openHouse({ HOLDFAST_UNDO_MS: '600000' });
  agent = await house.key('agent');
  const withPasskey = async (email: string): Promise<Person> => {
    const person = await house.person('approver', email);
    const passkey = new SoftwareAuthenticator();
    await register(person.userId, passkey);
    return { ...person, passkey };
  };
  ben = await withPasskey('ben@example.test');
  cleo = await withPasskey('cleo@example.test');
});
afterAll(() => house.stop());

const slugOf = (body: Record<string, unknown>): string => String(body['type']).split('/').at(-1) ?? '';
const seen = { refundable: { minor: 5_000, currency: 'EUR' }, orderVersion: 1 };

const proposed = async (): Promise<Proposed> => {
  const orderId = `o-${randomUUID()}`;
  await house.order(orderId);
  const id = mintId();
  const { body } = await house.ask('PUT', `/v1/operations/${id}`, { key: agent, body: proposalOf(orderId) });
  return { id, fingerprint: String(body['fingerprint']) };
};

const hoursMs = 3_600_000;
const statementOf = (by: Person, { id, fingerprint }: Proposed): ApprovalStatement => ({
  organisationId: house.organisationId,
  approverId: by.userId,
  operationId: id,
  fingerprint,
  seen,
  commandId: mintId(),
  // Made on a device that was away for hours.
  signedAt: new Date(Date.now() - 6 * hoursMs).toISOString(),
  expiresAt: new Date(Date.now() + 100 * hoursMs).toISOString(),
});

const signedBy = (by: Person, statement: ApprovalStatement) => ({
  credentialId: by.passkey.credentialId,
  ...by.passkey.get({ challenge: approvalChallengeText(statement) }).response,
  signedAt: statement.signedAt,
  expiresAt: statement.expiresAt,
});

/** The command that a statement stands for, as its person sends it. */
const commandOf = (by: Person, statement: ApprovalStatement) => ({
  commandId: statement.commandId,
  fingerprint: statement.fingerprint,
  seen: statement.seen,
  assertion: signedBy(by, statement),
});

const approve = (by: Person, id: string, body: unknown): Promise<Answered> =>
  house.ask('POST', `/v1/operations/${id}/approve`, {
    cookie: by.cookie,
    headers: { 'holdfast-protocol': '2' },
    body,
  });
const approvalsOf = ({ id }: Proposed) => house.admin`
  select a.actor_id, a.signed, s.credential_id from approvals a
  left join approval_signatures s using (org_id, operation_id, command_id) where a.operation_id = ${id}`;

describe('a signed approval', () => {
  // Red when: a good assertion is refused, or what proves it is not kept with the approval.
  it('made hours ago is accepted, kept with its passkey, told as signed, and answered the same again', async () => {
    const operation = await proposed();
    const body = commandOf(ben, statementOf(ben, operation));
    const first = await approve(ben, operation.id, body);
    expect([first.status, first.body['approvals']]).toMatchObject([200, [{ signed: true }]]);
    const again = await approve(ben, operation.id, body);
    expect(again.status).toBe(200);
    expect(await approvalsOf(operation)).toEqual([
      { actor_id: ben.userId, signed: true, credential_id: ben.passkey.credentialId },
    ]);
    const { body: detail } = await house.ask('GET', `/v1/operations/${operation.id}`, { key: agent });
    const sentences = (detail['timeline'] as { sentence: string }[]).map(({ sentence }) => sentence);
    expect(sentences).toContain('The approver approved it, signed with a passkey.');
  });

  const others: readonly (readonly [
    string,
    (statement: ApprovalStatement, other: Proposed) => ApprovalStatement,
  ])[] = [
    ['another organisation', (statement) => ({ ...statement, organisationId: 'another' })],
    ['another approver', (statement) => ({ ...statement, approverId: cleo.userId })],
    ['another operation', (statement, { id }) => ({ ...statement, operationId: id })],
    ['another fingerprint', (statement, { fingerprint }) => ({ ...statement, fingerprint })],
    ['another command', (statement) => ({ ...statement, commandId: mintId() })],
    ['another order version', (statement) => ({ ...statement, seen: { ...seen, orderVersion: 2 } })],
    ['nothing seen', (statement) => ({ ...statement, seen: null })],
    [
      'a later expiry',
      (statement) => ({ ...statement, expiresAt: new Date(Date.now() + hoursMs).toISOString() }),
    ],
  ];
  // Red when: that part is not in what is signed, or a wrong assertion counts as none.
  it.each(others)('made for %s is refused, and nothing is approved', async (_what, changed) => {
    const [operation, other] = [await proposed(), await proposed()];
    const statement = statementOf(ben, operation);
    const assertion = signedBy(ben, changed(statement, other));
    const body = {
      ...commandOf(ben, statement),
      assertion: { ...assertion, signedAt: statement.signedAt, expiresAt: statement.expiresAt },
    };
    const refused = await approve(ben, operation.id, body);
    expect([refused.status, slugOf(refused.body)]).toEqual([422, 'invalid']);
    expect(refused.body).toMatchObject({ final: true, issues: [{ path: 'assertion' }] });
    expect(await approvalsOf(operation)).toEqual([]);
  });

  // Red when: an assertion is verified against its own person instead of the one who sends it.
  it('sent by another approver is refused', async () => {
    const operation = await proposed();
    const refused = await approve(cleo, operation.id, commandOf(ben, statementOf(ben, operation)));
    expect([refused.status, slugOf(refused.body)]).toEqual([422, 'invalid']);
    expect(await approvalsOf(operation)).toEqual([]);
  });

  // Red when: an approval's assertion makes a denial or a withdrawal of it count.
  it('is no denial and no withdrawal: the same bytes under another decision stand for nothing', async () => {
    const operation = await proposed();
    const body = commandOf(ben, statementOf(ben, operation));
    expect((await approve(ben, operation.id, body)).status).toBe(200);
    for (const type of ['withdraw', 'deny']) {
      const refused = await house.ask('POST', `/v1/operations/${operation.id}/${type}`, {
        cookie: ben.cookie,
        body: { ...body, reason: 'the same bytes' },
      });
      expect([refused.status, slugOf(refused.body)]).toEqual([422, 'operation-mismatch']);
    }
    expect(await approvalsOf(operation)).toMatchObject([{ signed: true }]);
  });

  // Red when: what was signed hours ago goes through although the figures are others now.
  it('is refused as stale, with what is now, when the order changed since it was signed', async () => {
    const operation = await proposed();
    await house.admin`update orders set version = version + 1
      where order_id = (select order_id from operations where id = ${operation.id})`;
    const refused = await approve(ben, operation.id, commandOf(ben, statementOf(ben, operation)));
    expect([refused.status, slugOf(refused.body)]).toEqual([409, 'stale-approval']);
    expect(refused.body['now']).toMatchObject({ orderVersion: 2 });
    expect(await approvalsOf(operation)).toEqual([]);
  });

  // Red when: whether a passkey is revoked is looked at when it signs instead of when the server accepts.
  it('by a passkey that was revoked before the server accepts it is refused; one accepted before stands', async () => {
    const [before, after] = [await proposed(), await proposed()];
    const lost = new SoftwareAuthenticator();
    await register(ben.userId, lost);
    const bodies = [before, after].map((one) => commandOf({ ...ben, passkey: lost }, statementOf(ben, one)));
    expect((await approve(ben, before.id, bodies[0])).status).toBe(200);
    await house.admin`update sign_in.passkey set revoked_at = now(), revoked_by = 'x'
      where credential_id = ${lost.credentialId}`;
    expect((await approve(ben, after.id, bodies[1])).status).toBe(422);
    expect((await approve(ben, before.id, bodies[0])).status).toBe(200);
    expect([await approvalsOf(before), await approvalsOf(after)]).toMatchObject([[{ signed: true }], []]);
  });

  // Red when: a program's approval is taken for signed because its owner's passkey signed something.
  it('sent with an API key of its own person is refused', async () => {
    const operation = await proposed();
    const refused = await house.ask('POST', `/v1/operations/${operation.id}/approve`, {
      key: await house.key('approver', ben),
      body: commandOf(ben, statementOf(ben, operation)),
    });
    expect([refused.status, slugOf(refused.body)]).toEqual([422, 'invalid']);
    expect(await approvalsOf(operation)).toEqual([]);
  });

  // Red when: hostile text reaches the library, or is answered as our own failure.
  it('that is no assertion at all is 422, whatever it is', async () => {
    const operation = await proposed();
    const body = commandOf(ben, statementOf(ben, operation));
    const { assertion } = body;
    for (const hostile of [
      null,
      [],
      'x',
      {},
      { ...assertion, signature: '' },
      { ...assertion, signature: 'a'.repeat(5_000) },
      { ...assertion, authenticatorData: 'AAAA' },
      { ...assertion, clientDataJSON: Buffer.from('null').toString('base64url') },
      { ...assertion, clientDataJSON: Buffer.from('{"type":1}').toString('base64url') },
      { ...assertion, credentialId: '../../x' },
      { ...assertion, expiresAt: 'tomorrow' },
    ]) {
      const refused = await approve(ben, operation.id, { ...body, assertion: hostile });
      expect([refused.status, slugOf(refused.body)]).toEqual([422, 'invalid']);
    }
    expect(await approvalsOf(operation)).toEqual([]);
  });
});

const faults = async (): Promise<readonly ChainFault[]> => {
  const found: ChainFault[] = [];
  const { inOrganisation } = house.opened.made;
  await verifyAudit(inOrganisation, house.organisationId, (fault) => found.push(fault));
  await verifySignatures(inOrganisation, house.organisationId, recheckProof, (fault) => found.push(fault));
  return found;
};

describe('verifying the audit of signed approvals, from the database alone', () => {
  const signed = async (): Promise<Proposed> => {
    const operation = await proposed();
    expect((await approve(ben, operation.id, commandOf(ben, statementOf(ben, operation)))).status).toBe(200);
    return operation;
  };
  const flip = (column: string) => `update approval_signatures set ${column} =
    translate(left(${column}, 1), 'ABCDEFGHe', 'BCDEFGHAf') || substr(${column}, 2) where operation_id = $1`;
  const planted: readonly (readonly [string, string])[] = [
    ['a signature', 'update approval_signatures set signature = reverse(signature) where operation_id = $1'],
    ['client data', flip('client_data_json')],
    [
      'authenticator data',
      'update approval_signatures set authenticator_data = reverse(authenticator_data) where operation_id = $1',
    ],
    [
      'the kept public key',
      'update approval_signatures set public_key = reverse(public_key) where operation_id = $1',
    ],
    [
      'the kept relying party',
      "update approval_signatures set relying_party_id = 'localhosu' where operation_id = $1",
    ],
    [
      'the kept origin',
      "update approval_signatures set origin = 'http://localhost:4781' where operation_id = $1",
    ],
    ['the count', 'update approval_signatures set counter = 1 where operation_id = $1'],
    ['what was seen', 'update approval_signatures set seen_refundable_minor = 5001 where operation_id = $1'],
    [
      'the expiry',
      "update approval_signatures set expires_at = '2027-01-01T00:00:00.000Z' where operation_id = $1",
    ],
    ['the signer', "update approval_signatures set approver_id = 'x' where operation_id = $1"],
    ['a signature that is gone', 'delete from approval_signatures where operation_id = $1'],
    ['the approver', "update approvals set actor_id = 'x' where operation_id = $1"],
    ['who counts as the approver', "update approvals set person = 'x' where operation_id = $1"],
    ['the approver’s role', "update approvals set role = 'admin' where operation_id = $1"],
    ['the way it came', "update approvals set via = 'system' where operation_id = $1"],
    [
      'the approved fingerprint',
      "update approvals set fingerprint = repeat('a', 64) where operation_id = $1",
    ],
    [
      'when it was given',
      "update approvals set approved_at = approved_at + interval '1 second' where operation_id = $1",
    ],
    ['whether it is signed', 'update approvals set signed = false where operation_id = $1'],
    ['the amount', 'update operations set amount_minor = amount_minor + 1 where id = $1'],
    [
      'an approval that nobody gave',
      `insert into approvals select org_id, operation_id, gen_random_uuid(), actor_id, person, role, via, fingerprint,
        false, approved_at from approvals where operation_id = $1`,
    ],
    [
      'an approval that is gone',
      `with gone as (delete from approval_signatures where operation_id = $1)
        delete from approvals where operation_id = $1`,
    ],
  ];

  // Red when: what nobody touched is called a fault, a revoked passkey's included.
  it('finds nothing in what nobody touched', async () => {
    await signed();
    expect(await faults()).toEqual([]);
  });

  // Red when: the comparison that this row names is left out.
  it.each(planted)('finds that %s was changed', async (_what, plant) => {
    const operation = await signed();
    await house.admin.begin(async (sql) => {
      await sql`set constraints all deferred`;
      await sql.unsafe("set local session_replication_role = 'replica'");
      expect((await sql.unsafe(plant, [operation.id])).count).toBeGreaterThan(0);
    });
    const own = (await faults()).filter(({ operationId }) => operationId === operation.id);
    expect(own).not.toEqual([]);
  });
});
