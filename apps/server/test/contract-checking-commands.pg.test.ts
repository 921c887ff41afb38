import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintId, openHouse, proposalOf, type House } from './house-rig.ts';
import { holdfast } from './program.ts';

let house: House;
let variables: Record<string, string> = {};
beforeAll(async () => {
  house = await openHouse();
  const { settings, database } = house.opened;
  variables = {
    DATABASE_URL: database.url,
    HOLDFAST_DATA_DIR: settings.dataFolder,
    HOLDFAST_DEMO: 'off',
  };
});
afterAll(() => house.stop());

const run = (...words: string[]) => holdfast(variables, ...words);
type Finding = { readonly kind: string; readonly reference: string; readonly operationId: string | null };
const found = (out: string) =>
  JSON.parse(out) as { clean: boolean; found: number; findings: Finding[]; refundsRead: number };

const fake = async (route: string, body: unknown): Promise<unknown> => {
  const answer = await fetch(`${house.fake.access.apiBase}${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.ok, `${route}: ${String(answer.status)}`).toBe(true);
  return answer.json();
};

const confirmed = async (orderId: string) => {
  const { reference } = await house.order(orderId);
  const id = mintId();
  const [agent, approver] = [await house.key('agent'), await house.key('approver')];
  const { body } = await house.ask('PUT', `/v1/operations/${id}`, { key: agent, body: proposalOf(orderId) });
  const approval = { commandId: mintId(), fingerprint: body['fingerprint'] };
  await house.ask('POST', `/v1/operations/${id}/approve`, { key: approver, body: approval });
  await house.opened.made.worker.runOnce();
  const now = await house.ask('GET', `/v1/operations/${id}`, { key: agent });
  expect(now.body['state']).toBe('confirmed');
  return { id, payment: reference };
};

describe('sweep', () => {
  // Red when: what it finds does not reach the exit code, or a lost answer counts as nothing found.
  it('exits 0 where both sides agree, 3 where they do not, 1 where the provider does not answer', async () => {
    const { id, payment } = await confirmed('swept');
    const clean = await run('sweep', '--since', '24h', '--json');
    expect([clean.code, found(clean.out)], clean.error).toMatchObject([
      0,
      { clean: true, found: 0, refundsRead: 1 },
    ]);

    const metadata = { holdfast_organisation: house.organisationId, holdfast_operation: id };
    await fake('/fake/refunds', { payment_intent: payment, amount: 10, metadata });
    await fake('/fake/refunds', { payment_intent: payment, amount: 20 });
    const dirty = await run('sweep', '--since', '1d', '--json');
    expect(dirty.code, dirty.error).toBe(3);
    const { findings } = found(dirty.out);
    expect(findings.map(({ kind }) => kind).toSorted()).toEqual(['duplicate', 'foreign']);
    expect(findings.find(({ kind }) => kind === 'duplicate')?.operationId).toBe(id);
    const metrics = await house.ask('GET', '/metrics', { key: await house.key('operator') });
    expect(metrics.body['text']).toContain('holdfast_duplicate_actions_total 1');
    expect(metrics.body['text']).toContain('holdfast_foreign_actions_total 1');

    const file = path.join(house.opened.settings.dataFolder, 'found.csv');
    const table = await run('sweep', '--since', '1d', '--csv', file);
    expect([table.code, table.out.split('\n').length]).toEqual([3, 4]);
    expect(table.out).toMatch(/EUR 0\.10 .*\n.*EUR 0\.20 |EUR 0\.20 .*\n.*EUR 0\.10 /);
    const written = await readFile(file, 'utf8');
    expect(written).toMatch(new RegExp(`"duplicate","re_[^"]+","${payment}","${id}","EUR","0.10",""`));
    expect(written.trimEnd().split('\r\n')).toHaveLength(3);
    expect(table.error).toContain(`The findings are in ${file}.`);
    const over = await run('sweep', '--since', '1d', '--csv', file);
    expect([over.code, over.out, over.error]).toEqual([1, '', expect.stringContaining('is there already')]);
    expect(await readFile(file, 'utf8'), 'nothing is written over').toBe(written);
    const [{ runs = 0 } = {}] = await house.admin<{ runs: number }[]>`
      select count(*)::int as runs from sweeps where asked_by = 'command-line' and state = 'done'`;
    expect(runs, 'each is on record').toBe(3);
    await fake('/fake/faults', { on: 'refund.list', do: 'error_before', status: 503, times: 50 });
    const away = await run('sweep', '--since', '24h', '--json');
    await fetch(`${house.fake.access.apiBase}/fake/faults`, { method: 'DELETE' });
    expect([away.code, away.out]).toEqual([1, '']);
    expect(away.error).toContain('did not answer');
  });
});

describe('hold', () => {
  // Red when: a reason that is not kept is dropped in silence, or who examines the installation reads nothing of a hold.
  it('is told by the doctor, and a reason that comes while it is on is not dropped in silence', async () => {
    const first = await run('hold', 'on', '--reason', 'Looking into it.');
    expect([first.code, first.out]).toEqual([0, expect.stringMatching(/: Looking into it\. Nothing is/)]);
    const second = await run('hold', 'on', '--reason', 'Another one');
    expect([second.code, second.out]).toEqual([0, expect.stringContaining('Looking into it')]);
    expect(second.error).toContain('this reason is kept nowhere');
    const examined = await run('doctor');
    expect(examined.out).toMatch(/^note {3}hold: .*Looking into it\. Nothing is submitted/m);
    expect((await run('hold', 'off')).code).toBe(0);
    expect((await run('doctor')).out).not.toContain('hold:');
  });
});

describe('export', () => {
  // Red when: a torn line stays, a line is left out or repeated, a day is one of UTC, or nothing of it is audited.
  it('F116 writes the operations of a day of the zone named, and goes on behind the last whole line of a torn file', async () => {
    const folder = house.opened.settings.dataFolder;
    const ids: string[] = [];
    for (const orderId of ['exported-1', 'exported-2']) ids.push((await confirmed(orderId)).id);
    const [inBoth = '', inVancouver = ''] = ids;
    await house.admin`update operations set created_at = '2026-01-10T12:00:00Z', note = '=1+1' where id = ${inBoth}`;
    await house.admin`update operations set created_at = '2026-01-11T00:42:00Z' where id = ${inVancouver}`;
    const day = ['--from', '2026-01-10', '--to', '2026-01-10'];
    const berlin = await run('export', 'operations', ...day, '--time-zone', 'Europe/Berlin');
    expect(berlin.code, berlin.error).toBe(0);
    expect([berlin.out.includes(inBoth), berlin.out.includes(inVancouver)]).toEqual([true, false]);

    const file = path.join(folder, 'day.csv');
    const zone = ['--time-zone', 'America/Vancouver', '--out', file];
    const whole = await run('export', 'operations', ...day, ...zone);
    expect([whole.code, whole.out], whole.error).toEqual([0, '']);
    const text = await readFile(file, 'utf8');
    expect(text).toContain('"created_at (America/Vancouver)"');
    expect(text).toContain('"2026-01-10T16:42:00.000-08:00"');
    expect(text).toContain(`"'=1+1"`);
    expect(text.indexOf(inVancouver)).toBeLessThan(text.indexOf(inBoth));

    await writeFile(file, text.slice(0, text.indexOf(inBoth) + 20));
    const again = await run('export', 'operations', ...day, ...zone);
    expect([again.code, again.error]).toEqual([1, expect.stringContaining('nothing is written over')]);
    const resumed = await run('export', 'operations', ...day, ...zone, '--resume');
    expect(resumed.code, resumed.error).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(text);
    const [{ acts = 0 } = {}] = await house.admin<{ acts: number }[]>`
      select count(*)::int as acts from organisation_audit where type = 'operations-exported'`;
    expect(acts).toBe(3);
  });
});

describe('audit verify', () => {
  // Red when: a fault does not reach the exit code.
  it('exits 0 over what nobody touched, and 3 with what is wrong where', async () => {
    const { id } = await confirmed('audited');
    const clean = await run('audit', 'verify', '--json');
    expect([clean.code, JSON.parse(clean.out)], clean.error).toMatchObject([0, { clean: true, faults: [] }]);
    await house.admin`update operations set amount_minor = amount_minor - 1 where id = ${id}`;
    const changed = await run('audit', 'verify');
    expect(changed.code, changed.error).toBe(3);
    expect(changed.out).toContain(id);
  });
});

describe('organisations of one name', () => {
  // Red when: `org create` compares no names, `org list` leaves one out, or doctor names organisations by name alone.
  it('are told apart by their IDs: where the second is made, in the list, and by doctor', async () => {
    const make = async () => {
      const made = await run('org', 'create', '--name', 'Twins', '--json');
      expect(made.code, made.error).toBe(0);
      return { ...(JSON.parse(made.out) as { id: string }), said: made.error };
    };
    const one = await make();
    const other = await make();
    expect([one.said.includes('another'), other.said.includes(one.id)]).toEqual([false, true]);
    const listed = await run('org', 'list', '--json');
    const { items } = JSON.parse(listed.out) as { items: { id: string; name: string }[] };
    expect(items.filter(({ name }) => name === 'Twins').map(({ id }) => id)).toEqual(
      expect.arrayContaining([one.id, other.id]),
    );
    const doctor = await run('doctor', '--json');
    const { checks } = JSON.parse(doctor.out) as { checks: { finding: string; note?: true }[] };
    for (const { id } of [one, other])
      expect(checks.find(({ finding }) => finding.includes(id))).toMatchObject({ note: true });
  });
});

describe('a command used wrongly', () => {
  // Red when: a wrong use succeeds, prints a result, or says nothing about what to do.
  it.each([
    [['frobnicate'], 'unknown command'],
    [['sweep', '--since', 'yesterday'], '24h'],
    [['audit', 'verify', '--org', 'nobody'], 'no organisation nobody'],
    [['export', 'operations', '--time-zone', 'Mars'], 'Europe/Berlin'],
  ])('%j exits 1 and says what to do', async (words, says) => {
    const ended = await run(...words);
    expect([ended.code, ended.out]).toEqual([1, '']);
    expect(ended.error).toContain(says);
    expect(ended.error).toMatch(/--help|Known:/);
  });
});

describe('backup and restore', () => {
  // Red when: a file is written over, half of one stays, or a restore writes over what is there.
  it('write no file over, put nothing over what is there, and say what to do', async () => {
    await house.order('kept');
    const folder = house.opened.settings.dataFolder;
    const file = path.join(folder, 'kept.gz');
    const taken = await run('backup', file, '--json');
    expect(taken.code, taken.error).toBe(0);
    expect(JSON.parse(taken.out)).toMatchObject({ file, tables: expect.any(Number) as number });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const kept = await readFile(file);

    const again = await run('backup', file);
    expect([again.code, again.error]).toEqual([1, expect.stringContaining('does not exist yet')]);
    const nowhere = await run('backup', path.join(folder, 'nowhere', 'kept.gz'));
    expect(nowhere.code).toBe(1);
    expect(await readFile(file)).toEqual(kept);
    expect((await readdir(folder)).filter((name) => name.startsWith('kept'))).toEqual(['kept.gz']);

    const restored = await run('restore', file);
    expect([restored.code, restored.error]).toEqual([1, expect.stringContaining('already holds')]);
    const missing = await run('restore', path.join(folder, 'missing.gz'));
    expect([missing.code, missing.error]).toEqual([1, expect.stringContaining('cannot be read')]);
  });
});
