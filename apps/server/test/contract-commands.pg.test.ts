import { commandResultsSchema, type CommandResult } from '@holdfast/operation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintId, openHouse, origin, proposalOf, type House } from './house-rig.ts';

let house: House;
let agent: string;
let approver: string;
let person: { userId: string; cookie: string };
beforeAll(async () => {
  house = await openHouse();
  agent = await house.key('agent');
  approver = await house.key('approver');
  person = await house.person('admin', 'ada@example.test');
});
afterAll(() => house.stop());

const proposeCommand = (orderId: string, minor = 1_000, more: object = {}) => {
  const id = mintId();
  return { type: 'propose', commandId: id, operationId: id, ...proposalOf(orderId, minor), ...more };
};
const send = (commands: readonly unknown[], key = agent, headers: Record<string, string> = {}) =>
  house.ask('POST', '/v1/commands', { key, body: { commands }, headers });
const resultsOf = async (...given: Parameters<typeof send>): Promise<readonly CommandResult[]> => {
  const answered = await send(...given);
  expect(answered.status).toBe(200);
  return commandResultsSchema.parse(answered.body).results;
};
const kinds = (results: readonly CommandResult[]): readonly string[] =>
  results.map(({ status, problem }) => problem?.type.split('/').at(-1) ?? status);

describe('a batch of commands', () => {
  // Red when: one command's refusal ends the batch, or the verdicts come in another order than the commands.
  it('has a verdict for each in order, and what is wrong with one spoils no other', async () => {
    await house.order('mixed');
    const first = proposeCommand('mixed', 100);
    const upper = proposeCommand('mixed', 200, { returnId: undefined });
    const second = {
      ...upper,
      commandId: upper.commandId.toUpperCase(),
      operationId: upper.operationId.toUpperCase(),
    };
    const stranger = mintId();
    const commands = [
      first,
      { ...proposeCommand('mixed'), amount: 'much' },
      null,
      { type: 'sell', commandId: mintId(), operationId: mintId() },
      proposeCommand('never-heard-of'),
      { type: 'approve', commandId: mintId(), operationId: first.operationId, fingerprint: 'a'.repeat(64) },
      { type: 'cancel', commandId: mintId(), operationId: stranger, reason: 'dropped on the device' },
      second,
      first,
    ];
    const results = await resultsOf(commands);
    expect(kinds(results)).toEqual([
      ...[
        'applied',
        'invalid',
        'invalid',
        'invalid',
        'not-found',
        'forbidden',
        'applied',
        'applied',
        'replayed',
      ],
    ]);
    expect(results[0]).toMatchObject({ commandId: first.commandId, operation: { id: first.operationId } });
    expect(results[7]).toMatchObject({ commandId: upper.commandId, operation: { id: upper.operationId } });
    expect(results[6]?.operation).toMatchObject({ id: stranger, state: 'cancelled', orderId: null });
    expect(results[4]?.problem).toMatchObject({ status: 404, final: false });
    const again = await resultsOf(commands);
    expect(kinds(again)).toEqual([
      ...[
        'replayed',
        'invalid',
        'invalid',
        'invalid',
        'not-found',
        'forbidden',
        'replayed',
        'replayed',
        'replayed',
      ],
    ]);
  });

  // Red when: the limit is another than 500, or an empty batch is taken.
  it('holds 1 to 500 commands', async () => {
    const cancel = () => ({ type: 'cancel', commandId: mintId(), operationId: mintId(), reason: 'x' });
    const malformed = Array.from({ length: 499 }, () => 'nonsense');
    expect(await resultsOf([...malformed, cancel()])).toHaveLength(500);
    for (const commands of [[...malformed, cancel(), cancel()], []]) {
      const refused = await send(commands);
      expect([refused.status, refused.headers.get('content-type')]).toEqual([
        422,
        'application/problem+json',
      ]);
      expect(refused.body['issues']).toMatchObject([{ path: 'commands' }]);
    }
  });

  // Red when: neither the route nor the engine compares the subject, or a key's owner is not the person.
  it('given by another than the one who sends it changes nothing and waits for that person', async () => {
    await house.order('subject');
    const theirs = proposeCommand('subject', 100, { subject: 'somebody-else' });
    const mine = proposeCommand('subject', 200, { subject: person.userId, returnId: undefined });
    const asPerson = await house.ask('POST', '/v1/commands', {
      cookie: person.cookie,
      body: { commands: [theirs, mine] },
    });
    const results = commandResultsSchema.parse(asPerson.body).results;
    expect(kinds(results)).toEqual(['wrong-subject', 'applied']);
    expect(results[0]?.problem).toMatchObject({ status: 403, final: false, commandId: theirs.commandId });
    const owned = await house.key('agent', { userId: person.userId });
    expect(kinds(await resultsOf([mine], owned))).toEqual(['replayed']);
    expect(kinds(await resultsOf([mine]))).toEqual(['wrong-subject']);
  });

  // Red when: opposite decisions are applied in the order in which they stand.
  it('with opposite decisions of one person on one operation applies neither', async () => {
    await house.order('opposite');
    const proposed = await resultsOf([proposeCommand('opposite')]);
    const { id, fingerprint } = proposed[0]?.operation ?? {};
    const results = await resultsOf(
      [
        { type: 'approve', commandId: mintId(), operationId: id, fingerprint },
        { type: 'deny', commandId: mintId(), operationId: id, reason: 'changed my mind' },
      ],
      approver,
    );
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const now = await house.ask('GET', `/v1/operations/${String(id)}`, { key: agent });
    expect(now.body).toMatchObject({ state: 'proposed', approvals: [] });
  });

  // Red when: the header is not read, or a server that speaks versions 1 to 3 refuses one of them.
  it('of a protocol that is not served is 426 with the ones that are; without the header it is taken', async () => {
    const commands = ['nonsense'];
    for (const version of ['1', '2', '3']) {
      expect((await send(commands, agent, { 'holdfast-protocol': version })).status).toBe(200);
    }
    for (const version of ['4', '0', 'one']) {
      const refused = await send(commands, agent, { 'holdfast-protocol': version });
      expect([refused.status, refused.body['versions']]).toEqual([426, [1, 2, 3]]);
    }
  });
});

describe('looking up', () => {
  // Red when: the answer leaves an ID out, or more than 500 are taken.
  it('answers each of up to 500 IDs with its operation or null, whatever its case', async () => {
    await house.order('looked');
    const { operationId } = proposeCommand('looked');
    await house.ask('PUT', `/v1/operations/${operationId}`, { key: agent, body: proposalOf('looked') });
    const unknown = mintId();
    const ids = [operationId, operationId.toUpperCase(), unknown, 'nonsense'];
    const answered = await house.ask('POST', '/v1/operations/lookup', { key: agent, body: { ids } });
    expect(answered.status).toBe(200);
    expect(answered.body['operations']).toMatchObject({
      [operationId]: { id: operationId },
      [operationId.toUpperCase()]: { id: operationId },
      [unknown]: null,
      nonsense: null,
    });
    const tooMany = { ids: Array.from({ length: 501 }, mintId) };
    expect((await house.ask('POST', '/v1/operations/lookup', { key: agent, body: tooMany })).status).toBe(
      422,
    );
  });
});

describe("an operation's ID", () => {
  // Red when: a route takes the ID as it came.
  it('in upper case is the same one on every route', async () => {
    await house.order('upper');
    const id = mintId();
    const upper = `/v1/operations/${id.toUpperCase()}`;
    const put = await house.ask('PUT', upper, { key: agent, body: proposalOf('upper') });
    expect([put.status, put.body['id']]).toEqual([201, id]);
    const commandId = mintId();
    const approval = { commandId: commandId.toUpperCase(), fingerprint: put.body['fingerprint'] };
    const approve = () => house.ask('POST', `${upper}/approve`, { key: approver, body: approval });
    expect((await approve()).body).toMatchObject({ id, approvals: [{}] });
    expect(
      (await house.ask('POST', `${upper}/approve`, { key: approver, body: { ...approval, commandId } })).body,
    ).toMatchObject({
      approvals: [{}],
    });
    expect((await house.ask('GET', upper, { key: agent })).body['id']).toBe(id);
    const rows = await house.admin`select 1 from commands where command_id = ${commandId}`;
    expect(rows).toHaveLength(1);
  });

  it('of another kind than UUIDv7 is 400 on every route', async () => {
    // Red when: a route does not say what its ID is.
    const version4 = '9f2b3c1e-7a54-4b1f-8f6e-2f1d0c9b8a77';
    const admin = person.cookie;
    const ask = (method: string, what: string, body?: unknown) =>
      house.ask(method, `/v1/operations/${version4}${what}`, {
        cookie: admin,
        headers: { origin },
        ...(body === undefined ? {} : { body }),
      });
    const decisions = ['approve', 'withdraw', 'deny', 'cancel', 'resolve', 'check'];
    const answers = await Promise.all([
      ask('GET', ''),
      ask('PUT', '', proposalOf('x')),
      ...decisions.map((what) => ask('POST', `/${what}`, { commandId: mintId(), reason: 'r' })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 400));
  });
});
