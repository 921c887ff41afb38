import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hashOfCommandText } from '@holdfast/operation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintId, openHouse, proposalOf, type House } from './house-rig.ts';
import { holdfast } from './program.ts';

let house: House;
let variables: Record<string, string> = {};
let agent: { userId: string; cookie: string };

beforeAll(async () => {
  house = await openHouse();
  const { settings, database } = house.opened;
  variables = { DATABASE_URL: database.url, HOLDFAST_DATA_DIR: settings.dataFolder, HOLDFAST_DEMO: 'off' };
  agent = await house.person('agent', 'field@example.com');
});
afterAll(() => house.stop());

const at = '2026-11-30T10:00:00.000Z';

const itemOf = (
  subject: string,
  type: string,
  operationId: string,
  content: object,
  events: object[] = [],
) => {
  const commandId = type === 'propose' ? operationId : mintId();
  const command = JSON.stringify({ commandId, subject, type, operationId, ...content });
  return {
    key: `${operationId}/${type}/1`,
    operationId,
    commandId,
    type,
    subject,
    supersedes: null,
    protocol: 1,
    queuedAt: at,
    command,
    sha256: hashOfCommandText(command),
    events,
  };
};

const proposalItem = (orderId: string, subject = agent.userId, minor = 1_000) =>
  itemOf(subject, 'propose', mintId(), proposalOf(orderId, minor));

const saved = async (items: readonly object[], more: object = {}): Promise<string> => {
  const file = path.join(house.opened.settings.dataFolder, `holdfast-record-${mintId()}.json`);
  const record = { format: 'holdfast-device-record', version: 1, exportedAt: at, exportedBy: agent.userId };
  await writeFile(file, JSON.stringify({ ...record, items, ...more }));
  return file;
};

type Report = { readonly items: readonly { readonly operationId: string | null; readonly found: string }[] };

const run = async (file: string, ...options: string[]) => {
  const { code, out, error } = await holdfast(variables, 'record', 'import', file, '--json', ...options);
  const items = out === '' ? [] : (JSON.parse(out) as Report).items;
  return { code, error, items };
};

const operationRows = async (id: string) =>
  house.admin<
    { state: string; proposed_by: string }[]
  >`select state, proposed_by from operations where id = ${id}`;

describe('holdfast record import', () => {
  // Red when: an unknown proposal goes in without `--apply`, under another actor, or twice.
  it('reports by default; with --apply it sends in what nobody has, under its author, and says so in the audit', async () => {
    await house.order('lost-tablet');
    const item = proposalItem('lost-tablet');
    const file = await saved([item]);
    const reported = await run(file);
    expect([reported.code, reported.items], reported.error).toMatchObject([
      0,
      [{ found: 'unknown', wouldGo: true }],
    ]);
    expect(await operationRows(item.operationId)).toEqual([]);

    const applied = await run(file, '--apply');
    expect([applied.code, applied.items], applied.error).toMatchObject([
      0,
      [{ found: 'imported', state: 'proposed' }],
    ]);
    const again = await run(file, '--apply');
    expect([again.code, again.items], again.error).toMatchObject([
      0,
      [{ found: 'known', state: 'proposed' }],
    ]);
    const sent = await house.ask('POST', '/v1/commands', {
      cookie: agent.cookie,
      body: { commands: [JSON.parse(item.command)] },
    });
    expect(sent.body['results']).toMatchObject([{ status: 'replayed' }]);

    expect(await operationRows(item.operationId)).toMatchObject([
      { state: 'proposed', proposed_by: agent.userId },
    ]);
    const audit = await house.admin<{ type: string; actor_id: string; data: Record<string, unknown> }[]>`
      select type, actor_id, data from audit where operation_id = ${item.operationId} order by sequence`;
    expect(audit).toMatchObject([
      { type: 'propose', actor_id: agent.userId, data: { through: 'device-record' } },
      // This house has no approver, and says so at once.
      { type: 'need-person', actor_id: null, data: { raised: ['nobody-can-approve'] } },
    ]);
    const detail = await house.ask('GET', `/v1/operations/${item.operationId}`, { cookie: agent.cookie });
    expect(JSON.stringify(detail.body['timeline'])).toContain('imported on the command line');
  });

  // Red when: the hash is not compared, or a known ID's content is taken to be what the file says.
  it('sets a tampered item aside and names the fields in which a known ID differs, and takes the rest', async () => {
    await house.order('tampered');
    await house.order('known');
    const [tampered, good, known] = [
      proposalItem('tampered'),
      proposalItem('tampered'),
      proposalItem('known'),
    ];
    await house.ask('POST', '/v1/commands', {
      cookie: agent.cookie,
      body: { commands: [JSON.parse(known.command)] },
    });
    const otherWords = JSON.stringify({
      ...(JSON.parse(known.command) as object),
      amount: { minor: 4_000, currency: 'EUR' },
    });
    const file = await saved([
      { ...tampered, command: tampered.command.replace('1000', '9000') },
      { ...known, command: otherWords, sha256: hashOfCommandText(otherWords) },
      good,
    ]);
    const { code, items } = await run(file, '--apply');
    expect(code).toBe(1);
    expect(items).toMatchObject([
      { found: 'set-aside', because: 'hash-differs', operationId: tampered.operationId },
      {
        found: 'operation-mismatch',
        recorded: { amount: { minor: 1_000 } },
        received: { amount: { minor: 4_000 } },
      },
      { found: 'imported' },
    ]);
    expect(await operationRows(tampered.operationId)).toEqual([]);
    const kept = await house.ask('GET', `/v1/operations/${known.operationId}`, { cookie: agent.cookie });
    expect(kept.body['amount']).toEqual({ minor: 1_000, currency: 'EUR' });
  });

  // Red when: membership or role is not read afresh, what stands under another name than the record's goes in, or
  // decisions and ended proposals are sent in.
  it('sends in nothing of a stranger, of a role that may not propose, nor what was decided or ended there', async () => {
    await house.order('not-theirs');
    const approver = await house.person('approver', 'tablet@example.com');
    const dropped = itemOf(agent.userId, 'propose', mintId(), proposalOf('not-theirs'), [
      { at, kind: 'dropped' },
    ]);
    const items = [
      proposalItem('not-theirs', 'a-stranger'),
      proposalItem('not-theirs', approver.userId),
      itemOf(agent.userId, 'approve', mintId(), { fingerprint: 'a'.repeat(64) }),
      dropped,
      proposalItem('no-such-order'),
    ];
    const report = await run(await saved(items), '--apply');
    expect(report.items).toMatchObject([
      { found: 'unknown', because: 'another-person' },
      { found: 'unknown', because: 'another-person' },
      { found: 'unknown', because: 'decision' },
      { found: 'unknown', because: 'dropped-there' },
      { found: 'refused', problem: { status: 404 } },
    ]);
    expect(report.code).toBe(1);
    const strangers = [proposalItem('not-theirs', 'a-stranger')];
    const stranger = await run(await saved(strangers, { exportedBy: 'a-stranger' }), '--apply');
    expect(stranger.items).toMatchObject([{ found: 'unknown', because: 'not-a-member' }]);
    const approvers = [proposalItem('not-theirs', approver.userId)];
    const mayNot = await run(await saved(approvers, { exportedBy: approver.userId }), '--apply');
    expect(mayNot.items).toMatchObject([{ found: 'refused', problem: { status: 403 } }]);
    for (const { operationId } of [...items, ...strangers, ...approvers]) {
      expect(await operationRows(operationId)).toEqual([]);
    }
  });

  // Red when: a file that is no record is read item by item all the same.
  it('refuses a file that is no record with one line that names the field and the remedy', async () => {
    const refused = await run(await saved([], { items: 'none' }), '--apply');
    expect(refused.code).toBe(1);
    expect(refused.error).toContain('`items` of the record is missing');
    expect(refused.error).toContain('Export it again on the device.');
  });
});
