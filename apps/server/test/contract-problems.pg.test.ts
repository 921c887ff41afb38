import { problemSchema } from '@holdfast/operation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintId, openHouse, proposalOf, type Answered, type House } from './house-rig.ts';

let house: House;
let keys: Record<'agent' | 'approver' | 'operator' | 'integrator', string>;
beforeAll(async () => {
  house = await openHouse();
  keys = {
    agent: await house.key('agent'),
    approver: await house.key('approver'),
    operator: await house.key('operator'),
    integrator: await house.key('integrator'),
  };
});
afterAll(() => house.stop());

const put = (id: string, body: unknown) =>
  house.ask('PUT', `/v1/operations/${id}`, { key: keys.agent, body });
const post = (id: string, what: string, body: unknown, key = keys.approver) =>
  house.ask('POST', `/v1/operations/${id}/${what}`, { key, body });
const decision = () => ({ commandId: mintId(), reason: 'a good reason' });
const approvalOf = (answered: Answered) => ({
  commandId: mintId(),
  fingerprint: answered.body['fingerprint'],
});
const otherFingerprint = 'a'.repeat(64);

const slugOf = ({ status, body, headers }: Answered): string => {
  expect(headers.get('content-type')).toBe('application/problem+json');
  const problem = problemSchema.parse(body);
  expect(problem.status).toBe(status);
  expect(problem.title).not.toBe('');
  expect(problem.detail).not.toBe('');
  return problem.type.split('/').at(-1) ?? '';
};

describe('every refusal', () => {
  type Row = readonly [
    what: string,
    ask: () => Promise<Answered>,
    slug: string,
    status: number,
    isFinal: boolean,
    names: readonly ('operationId' | 'commandId')[],
  ];
  const proposed = async (orderId: string, minor = 1_000) => {
    await house.order(orderId);
    const id = mintId();
    return { id, answered: await put(id, proposalOf(orderId, minor)) };
  };
  const rows: readonly Row[] = [
    ['a stranger', () => house.ask('GET', '/v1/operations'), 'unauthenticated', 401, false, []],
    [
      'a role that may not',
      () => house.ask('PUT', `/v1/operations/${mintId()}`, { key: keys.approver, body: {} }),
      'forbidden',
      403,
      true,
      ['operationId'],
    ],
    [
      'a body that is not JSON',
      () => house.ask('PUT', `/v1/operations/${mintId()}`, { key: keys.agent, raw: '{' }),
      'invalid',
      400,
      true,
      ['operationId'],
    ],
    ['an ID that is no UUIDv7', () => put('123', proposalOf('x')), 'invalid', 400, true, []],
    [
      'fields that are wrong',
      () => put(mintId(), { ...proposalOf('x'), reason: 'greed' }),
      'invalid',
      422,
      true,
      ['operationId'],
    ],
    [
      'an order that is not known',
      () => put(mintId(), proposalOf('never-heard-of')),
      'not-found',
      404,
      false,
      ['operationId', 'commandId'],
    ],
    [
      'an operation that is not known',
      () => house.ask('GET', `/v1/operations/${mintId()}`, { key: keys.agent }),
      'not-found',
      404,
      false,
      ['operationId'],
    ],
    [
      'a decision about an operation that is not known',
      () => post(mintId(), 'approve', { commandId: mintId(), fingerprint: otherFingerprint }),
      'not-found',
      404,
      false,
      ['operationId', 'commandId'],
    ],
    [
      'other contents under a known ID',
      async () => {
        const { id } = await proposed('mismatch');
        return put(id, proposalOf('mismatch', 999));
      },
      'operation-mismatch',
      422,
      true,
      ['operationId', 'commandId'],
    ],
    [
      'an approval of something else',
      async () => {
        const { id } = await proposed('stale-approval');
        return post(id, 'approve', { commandId: mintId(), fingerprint: otherFingerprint });
      },
      'stale-approval',
      409,
      true,
      ['operationId', 'commandId'],
    ],
    [
      'an approval of what was denied',
      async () => {
        const { id, answered } = await proposed('denied');
        await post(id, 'deny', decision());
        return post(id, 'approve', approvalOf(answered));
      },
      'already-decided',
      409,
      true,
      ['operationId', 'commandId'],
    ],
    [
      'an approval of what was cancelled',
      async () => {
        const { id, answered } = await proposed('cancelled');
        await post(id, 'cancel', decision(), keys.agent);
        return post(id, 'approve', approvalOf(answered));
      },
      'too-late',
      409,
      true,
      ['operationId', 'commandId'],
    ],
    [
      'what nobody may refund',
      async () => {
        await house.order('no-note');
        return put(mintId(), { ...proposalOf('no-note'), reason: 'goodwill' });
      },
      'not-eligible',
      422,
      true,
      ['operationId', 'commandId'],
    ],
    [
      'the same amount twice',
      async () => {
        await proposed('twice');
        return put(mintId(), proposalOf('twice'));
      },
      'possible-duplicate',
      409,
      true,
      ['operationId', 'commandId'],
    ],
    [
      'more than is left',
      async () => {
        await house.order('too-much');
        return put(mintId(), proposalOf('too-much', 5_001));
      },
      'exceeds-refundable',
      422,
      true,
      ['operationId', 'commandId'],
    ],
    [
      'a resolution of another version',
      async () => {
        const { id } = await proposed('stale');
        return post(
          id,
          'resolve',
          { commandId: mintId(), version: 99, outcome: 'failed', note: 'n' },
          keys.operator,
        );
      },
      'stale',
      409,
      true,
      ['operationId', 'commandId'],
    ],
    [
      'a page that is none of ours',
      () => house.ask('GET', '/v1/operations?cursor=nonsense', { key: keys.agent }),
      'invalid',
      400,
      true,
      [],
    ],
    [
      'an event nobody signed',
      () => house.ask('POST', '/v1/webhooks/stripe', { raw: '{}' }),
      'invalid',
      400,
      true,
      [],
    ],
  ];

  // Red when: a refusal leaves out its slug, its finality or what it is about.
  it.each(rows)('of %s is a problem of its own kind', async (_what, ask, slug, status, isFinal, names) => {
    const answered = await ask();
    expect([slugOf(answered), answered.status, answered.body['final']]).toEqual([slug, status, isFinal]);
    for (const name of names) expect(answered.body[name], name).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('with more to tell tells it: fields, reasons, what is left, what else there is', async () => {
    // Red when: a slug loses the fields that the contract gives it.
    await house.order('more');
    const first = await put(mintId(), proposalOf('more'));
    const duplicate = await put(mintId(), proposalOf('more'));
    expect(duplicate.body['operations']).toMatchObject([
      { id: first.body['id'], state: 'proposed', amount: { minor: 1_000, currency: 'EUR' } },
    ]);
    expect(duplicate.body['elsewhere']).toEqual([]);
    const tooMuch = await put(mintId(), { ...proposalOf('more', 6_000), returnId: undefined });
    expect(tooMuch.body).toMatchObject({ refundable: { minor: 5_000, currency: 'EUR' } });
    const noNote = await put(mintId(), { ...proposalOf('more', 7), reason: 'other' });
    expect(noNote.body['reasons']).toMatchObject([{ sentence: expect.stringMatching(/./) }]);
    const fields = await put(mintId(), { ...proposalOf('more'), amount: { minor: 1.5, currency: 'eur' } });
    const paths = (fields.body['issues'] as { path: string }[]).map(({ path }) => path);
    expect(paths).toEqual(['amount.minor', 'amount.currency']);
    const cursor = await house.ask('GET', '/v1/orders?cursor=nonsense', { key: keys.agent });
    expect(cursor.body['issues']).toMatchObject([{ path: 'cursor' }]);
  });
});

describe('the order of judgement, from 404 on', () => {
  // Red when: two of the steps that a row stands between are exchanged.
  it('fields, 404, mismatch, state, eligibility', async () => {
    const unknown = mintId();
    expect(slugOf(await put(unknown, { ...proposalOf('never-heard-of'), amount: 0 }))).toBe('invalid');
    expect(slugOf(await put(unknown, proposalOf('never-heard-of', 999_999)))).toBe('not-found');

    await house.order('judged');
    const id = mintId();
    const answered = await put(id, proposalOf('judged', 1_000));
    await post(id, 'deny', decision());
    // Other contents that would exceed what is left, under an ID that is denied: first of all they are other contents.
    expect(slugOf(await put(id, proposalOf('judged', 999_999)))).toBe('operation-mismatch');
    // Denied, and what was seen has changed: the state comes first.
    const seen = { refundable: { minor: 1, currency: 'EUR' }, orderVersion: 99 };
    expect(slugOf(await post(id, 'approve', { ...approvalOf(answered), seen }))).toBe('already-decided');
    // Not eligible, a duplicate, and too much: in that order.
    await put(mintId(), proposalOf('judged', 2_000));
    expect(slugOf(await put(mintId(), { ...proposalOf('judged', 999_999), reason: 'other' }))).toBe(
      'not-eligible',
    );
    const both = { ...proposalOf('judged', 999_999), returnId: 'r-judged' };
    await put(mintId(), { ...proposalOf('judged', 300), returnId: 'r-judged' });
    expect(slugOf(await put(mintId(), both))).toBe('possible-duplicate');
    expect(slugOf(await put(mintId(), proposalOf('judged', 999_999)))).toBe('exceeds-refundable');
  });

  it('a problem has the same title wherever it comes from', async () => {
    // Red when: the titles of problems are kept in two places.
    const fromHttp = await house.ask('GET', `/v1/operations/${mintId()}`, { key: keys.agent });
    const fromEngine = await put(mintId(), proposalOf('never-heard-of'));
    expect(fromHttp.body['title']).toBe(fromEngine.body['title']);
  });
});

describe('text that no database keeps', () => {
  // Red when: a query's text goes to the database as it came.
  it.each(['/v1/operations?q=a%00b', '/v1/operations?orderId=%00', '/v1/orders?q=%00', '/v1/tickets?q=%00'])(
    '%s is refused by name of its field',
    async (route) => {
      const answered = await house.ask('GET', route, { key: keys.agent });
      expect([slugOf(answered), answered.status]).toEqual(['invalid', 422]);
    },
  );
});
