import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintId, openHouse, proposalOf, type House } from './house-rig.ts';

let house: House;
let agent: { userId: string; cookie: string };
let operator: string;
const made: string[] = [];
beforeAll(async () => {
  house = await openHouse();
  agent = await house.person('agent', 'agent@example.org');
  operator = await house.key('operator');
  // Where nobody may approve, each proposal would have an entry more that says so.
  await house.person('approver', 'lead@example.org');
  for (const orderId of ['audited-1', 'audited-2', 'audited-3']) {
    await house.order(orderId);
    const id = mintId();
    const answered = await house.ask('PUT', `/v1/operations/${id}`, {
      cookie: agent.cookie,
      headers: { 'user-agent': 'Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X)' },
      body: { ...proposalOf(orderId), returnId: undefined },
    });
    expect(answered.status).toBe(201);
    made.push(id);
  }
});
afterAll(() => house.stop());

type Item = {
  readonly operationId: string | null;
  readonly type: string;
  readonly by: { readonly id: string } | null;
  readonly data: Record<string, unknown>;
};
const page = async (query: string): Promise<{ items: Item[]; nextCursor: string | null }> => {
  const { status, body } = await house.ask('GET', `/v1/audit?${query}`, { key: operator });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as unknown as { items: Item[]; nextCursor: string | null };
};

describe('the audit over HTTP', () => {
  it('is read newest first, a page after another, and says who and on which kind of device', async () => {
    // Red when: a cursor skips or repeats, or a session's command leaves no device in its entry.
    const seen: (string | null)[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const on: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const read: Awaited<ReturnType<typeof page>> = await page(`limit=2&type=propose${on}`);
      seen.push(...read.items.map(({ operationId }) => operationId));
      cursor = read.nextCursor;
    }
    expect(seen).toEqual(made.toReversed());
    const [first] = (await page(`operation=${String(made[0])}`)).items;
    expect(first).toMatchObject({ by: { id: agent.userId }, data: { device: 'ipad' } });
    expect(first?.data['session']).toEqual(expect.any(String));
  });

  it('is narrowed by who, order and time, and refuses what it cannot read', async () => {
    // Red when: a filter is passed over, or a cursor of ours is not told from other text.
    expect((await page('order=audited-2')).items.map(({ operationId }) => operationId)).toEqual([made[1]]);
    expect((await page(`who=${agent.userId}&type=propose`)).items).toHaveLength(3);
    expect((await page('who=nobody-of-this-name')).items).toEqual([]);
    expect((await page('to=2020-01-01T00:00:00Z')).items).toEqual([]);
    for (const query of ['cursor=abc', 'from=yesterday', 'operation=1', 'limit=0']) {
      const { status } = await house.ask('GET', `/v1/audit?${query}`, { key: operator });
      expect([query, status]).toEqual([query, query.startsWith('cursor') ? 400 : 422]);
    }
  });

  it('names and finds whoever only signed in', async () => {
    // Red when: names come from those who touched an operation alone.
    const { userId } = await house.person('operator', 'newcomer@example.org');
    const { items } = await page('type=signed-in&who=the%20operator');
    expect(items).toMatchObject([{ by: { id: userId, name: 'The operator' }, chainName: 'The operator' }]);
  });

  it('is exported with the same filters as text that no spreadsheet runs, and the export is in it', async () => {
    // Red when: a cell is not made safe, a filter is left out, or the export leaves no entry.
    await house.admin`insert into actors (org_id, actor_id, name) values (${house.organisationId}, ${agent.userId},
      '=HYPERLINK("x")') on conflict (org_id, actor_id) do update set name = excluded.name`;
    const asked = (query: string) =>
      house.app.request(`/v1/audit/export?${query}`, { headers: { authorization: `Bearer ${operator}` } });
    const csv = await (await asked('order=audited-1')).text();
    const rows = csv.trimEnd().split('\r\n');
    expect(rows).toHaveLength(2);
    expect(rows[1]).toContain(`"'=HYPERLINK(""x"")"`);
    const lines = (await (await asked('format=jsonl&order=audited-1')).text()).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as Item).operationId)).toEqual([made[0]]);
    const exported = await page('type=audit-exported');
    expect(exported.items.map(({ data }) => [data['format'], data['filters']])).toEqual([
      ['jsonl', ['order']],
      ['csv', ['order']],
    ]);
    const refused = await house.ask('GET', '/v1/audit/export', { cookie: agent.cookie });
    expect(refused.status).toBe(403);
    expect((await page('type=audit-exported')).items).toHaveLength(2);
  });
});
