import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repositoryFolder } from '../../src/settings/repository-folder.ts';
import { mintId, openHouse, proposalOf, type House } from '../house-rig.ts';
import { findPromtool } from './find-promtool.ts';

const rulesFile = path.join(repositoryFolder, 'deploy', 'prometheus', 'holdfast-alerts.yml');

type Rule = { readonly alert: string; readonly expr: string; readonly labels: Record<string, string> };

let house: House;
let rules: readonly Rule[] = [];
let promtool: string;

beforeAll(async () => {
  // Nothing is looked at again by itself.
  house = await openHouse({ HOLDFAST_CHECK_BACKOFF_MS: '600000' });
  const file = parse(await readFile(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] };
  rules = file.groups.flatMap((group) => group.rules);
  promtool = findPromtool();
});
afterAll(() => house.stop());

const scrape = async (): Promise<readonly string[]> => {
  const key = await house.key('operator');
  const { body } = await house.ask('GET', '/metrics', { key });
  return String(body['text'])
    .split('\n')
    .filter((line) => line.startsWith('holdfast_'));
};

const check = (...words: string[]) => spawnSync(promtool, words, { encoding: 'utf8' });

/** What Prometheus says after it read this house for two hours as it stands now. */
const alertsOf = async (lines: readonly string[], expected: readonly string[]) => {
  const series = lines.map((line) => {
    const end = line.lastIndexOf(' ');
    return { series: line.slice(0, end), values: `${line.slice(end + 1)}+0x120` };
  });
  const isExpected = ({ alert }: Rule): boolean => expected.includes(alert);
  const test = {
    rule_files: [rulesFile],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: series,
        promql_expr_test: rules.filter(isExpected).map(({ alert, labels }) => ({
          expr: `count(ALERTS{alertname="${alert}",alertstate="firing",severity="${labels['severity'] ?? ''}"})`,
          eval_time: '2h',
          exp_samples: [{ labels: '{}', value: 1 }],
        })),
        alert_rule_test: rules
          .filter((rule) => !isExpected(rule))
          .map(({ alert }) => ({ eval_time: '2h', alertname: alert, exp_alerts: [] })),
      },
    ],
  };
  // Every JSON is YAML.
  const file = path.join(house.opened.settings.dataFolder, `alerts-${mintId()}.json`);
  await writeFile(file, JSON.stringify(test));
  const { status, stdout, stderr } = check('test', 'rules', file);
  return { status, said: stdout + stderr };
};

const stuckInUnknown = async (): Promise<void> => {
  await house.order('stuck');
  const fault = { on: 'refund.create', do: 'execute_then_drop', times: 1 };
  const blind = { on: 'refund.list', do: 'hide_from_list', ms: 600_000, times: 'always' };
  for (const one of [fault, blind]) {
    await fetch(`${house.fake.access.apiBase}/fake/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(one),
    });
  }
  const id = mintId();
  const [agent, approver] = [await house.key('agent'), await house.key('approver')];
  const { body } = await house.ask('PUT', `/v1/operations/${id}`, { key: agent, body: proposalOf('stuck') });
  const approval = { commandId: mintId(), fingerprint: body['fingerprint'] };
  await house.ask('POST', `/v1/operations/${id}/approve`, { key: approver, body: approval });
  await house.opened.made.worker.runOnce();
  const changed = await house.admin`
    update operations set unknown_since = now() - interval '3 hours'
    where id = ${id} and state = 'outcome_unknown'`;
  expect(changed.count).toBe(1);
};

describe('the alert rules that are shipped', () => {
  // Red when: a rule has a mistake that Prometheus would refuse the whole file for.
  it('are what Prometheus takes', () => {
    const { status, stdout, stderr } = check('check', 'rules', rulesFile);
    expect(status, stdout + stderr).toBe(0);
    expect(rules.length).toBeGreaterThan(10);
  });

  // Red when: a metric is renamed, or counted only once something has happened.
  it('name metrics that are there from the first start, zeros included', async () => {
    const there = new Set((await scrape()).map((line) => line.split(/[{ ]/)[0]));
    const named = rules.flatMap(({ expr }) => expr.match(/holdfast_\w+/g) ?? []);
    expect(named.filter((name) => !there.has(name))).toEqual([]);
    expect(new Set(named).size).toBeGreaterThan(8);
  });

  // Red when: a rule fires over a house in which nothing happened, or the one over it does not where it is not read.
  it('are silent over a house in which nothing is wrong, and say so when it is not read at all', async () => {
    expect(await alertsOf(await scrape(), [])).toMatchObject({ status: 0 });
    expect(await alertsOf([], ['HoldfastNotScraped'])).toMatchObject({ status: 0 });
  });

  // Red when: the age of an unknown outcome is not told, its threshold is beyond three hours, or another rule counts it.
  it('fire for one stuck operation as the outcome that is not known for long, and as nothing else', async () => {
    await stuckInUnknown();
    expect(await alertsOf(await scrape(), ['HoldfastOutcomeUnknownForLong'])).toMatchObject({ status: 0 });
  });

  // Red when: the proposals of one are not counted together, or the threshold is beyond them.
  it('fire for thirty proposals of one assistant within ten minutes', async () => {
    const key = await house.key('agent', await house.person('admin', 'burst@example.test'), true);
    for (let number = 0; number < 30; number += 1) {
      await house.order(`burst-${String(number)}`);
      const body = proposalOf(`burst-${String(number)}`);
      expect((await house.ask('PUT', `/v1/operations/${mintId()}`, { key, body })).status).toBe(201);
    }
    const lines = await scrape();
    expect(lines).toContain('holdfast_most_proposals_of_one 30');
    const stuck = ['HoldfastOutcomeUnknownForLong', 'HoldfastProposalsInABurst'];
    expect(await alertsOf(lines, stuck)).toMatchObject({ status: 0 });
  });

  // Red when: what waits to be told has no age, a sweep that never ended counts as one, or a threshold is beyond these.
  it('fire for a program that was not told for hours, and for a ledger that nobody compared for days', async () => {
    const { admin, organisationId } = house;
    const endpoint = randomUUID();
    await admin`insert into announcement_endpoints (org_id, id, url, description, created_at, created_by, secret)
      values (${organisationId}, ${endpoint}, 'https://example.test/in', 'books', now(), 'anna', 'x')`;
    await admin`insert into announcements
        (org_id, endpoint_id, event_id, type, version, generation, made_at, payload, due_at)
      values (${organisationId}, ${endpoint}, 'test_1', 'webhook.test', 1, 'g', now() - interval '2 hours', '{}', now())`;
    await admin`update organisations set created_at = now() - interval '3 days' where org_id = ${organisationId}`;
    const before = ['HoldfastOutcomeUnknownForLong', 'HoldfastProposalsInABurst'];
    const expected = [...before, 'HoldfastOthersNotTold', 'HoldfastNotSwept'];
    expect(await alertsOf(await scrape(), expected)).toMatchObject({ status: 0 });
    await admin`update announcements set delivered_at = now() where event_id = 'test_1'`;
    await admin`insert into sweeps (org_id, id, provider, account_id, asked_by, asked_at, since, swept_at, state,
        started_at, ended_at)
      values (${organisationId}, ${endpoint}, 'stripe', 'acct', 'schedule', now(), now(), now(), 'done', now(), now())`;
    expect(await alertsOf(await scrape(), before)).toMatchObject({ status: 0 });
  });
});
