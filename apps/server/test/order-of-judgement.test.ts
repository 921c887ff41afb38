import { problemSchema } from '@holdfast/operation';
import { describe, expect, it } from 'vitest';
import { appRig, as, type AskOptions } from './app-rig.ts';
import { engineDouble } from './engine-double.ts';

const id = '01890a5d-ac96-774b-bcce-b302099a8057';
const proposal = {
  kind: 'refund',
  orderId: 'o-1',
  amount: { minor: 100, currency: 'EUR' },
  reason: 'returned',
};
const path = `/v1/operations/${id}`;
const agent = as({ role: 'agent', via: 'ownerless-key' });
const integrator = as({ role: 'integrator', via: 'ownerless-key' });
const huge = `{"note":"${'x'.repeat(300 * 1024)}"}`;

const problemOf = async (response: Response) => {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const problem = problemSchema.parse(await response.json());
  expect(problem.status).toBe(response.status);
  return problem;
};

describe('the order of judgement', () => {
  // Each request is wrong in several ways at once; the answer names the first in order. Red when two steps of
  // `serveGuarded` are exchanged.
  it('401 comes before everything', async () => {
    const rig = appRig({ engine: engineDouble().engine, rateLimit: 1 });
    for (let count = 0; count < 3; count += 1) {
      const response = await rig.ask('PUT', '/v1/operations/nonsense', { text: huge });
      expect(response.status).toBe(401);
      expect((await problemOf(response)).type).toMatch(/\/unauthenticated$/);
    }
  });

  it('then 429, with Retry-After; 413; 403; 400; 422', async () => {
    const limited = appRig({ engine: engineDouble().engine, rateLimit: 1 });
    const ask = (rig: typeof limited, headers: Record<string, string>, options: AskOptions, at = path) =>
      rig.ask('PUT', at, { headers, ...options });
    expect((await ask(limited, integrator, { text: huge })).status).toBe(413);
    const second = await ask(limited, integrator, { text: huge });
    expect(second.status).toBe(429);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);

    const rig = appRig({ engine: engineDouble().engine });
    expect((await ask(rig, integrator, { text: huge }, '/v1/operations/nonsense')).status).toBe(413);
    expect((await ask(rig, integrator, { text: 'not json' }, '/v1/operations/nonsense')).status).toBe(403);
    expect((await ask(rig, agent, { text: 'not json' })).status).toBe(400);
    expect((await ask(rig, agent, { body: {} }, '/v1/operations/nonsense')).status).toBe(400);
    const fields = await ask(rig, agent, { body: { ...proposal, amount: { minor: -5, currency: 'eur' } } });
    expect(fields.status).toBe(422);
    const problem = await problemOf(fields);
    expect(problem.issues?.map((issue) => issue.path)).toEqual(['amount.minor', 'amount.currency']);
    expect(problem.operationId).toBe(id);
    expect(problem.final).toBe(true);
  });

  it('a length that lies is found out while reading, and nothing reaches the engine', async () => {
    const double = engineDouble();
    const rig = appRig({ engine: double.engine });
    const response = await rig.ask('PUT', path, {
      headers: { ...agent, 'content-length': '10' },
      text: huge,
    });
    expect(response.status).toBe(413);
    expect(double.asked).toEqual([]);
  });

  it('bytes that are not UTF-8 are not JSON', async () => {
    const rig = appRig({ engine: engineDouble().engine });
    const response = await rig.app.request(`http://localhost:4780${path}`, {
      method: 'PUT',
      headers: agent,
      body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    });
    expect(response.status).toBe(400);
  });

  it('differentFrom is refused to assistants and ownerless keys before its fields are looked at', async () => {
    const body = { ...proposal, differentFrom: ['re_1'], amount: 'nonsense' };
    const status = async (headers: Record<string, string>) =>
      (await appRig({ engine: engineDouble().engine }).ask('PUT', path, { headers, body })).status;
    expect(await status(agent)).toBe(403);
    expect(await status(as({ role: 'agent', via: 'owned-key', assistant: true }))).toBe(403);
    expect(await status(as({ role: 'agent', via: 'owned-key' }))).toBe(422);
  });

  it('an upper-case ID is folded, anything else is 400', async () => {
    const double = engineDouble();
    const rig = appRig({ engine: double.engine });
    await rig.ask('PUT', `/v1/operations/${id.toUpperCase()}`, { headers: agent, body: proposal });
    expect(double.commands[0]).toMatchObject({
      ok: true,
      command: { operationId: id, commandId: id, type: 'propose' },
    });
    const version4 = '9f2b3c1e-7a54-4b1f-8f6e-2f1d0c9b8a77';
    expect(
      (await rig.ask('PUT', `/v1/operations/${version4}`, { headers: agent, body: proposal })).status,
    ).toBe(400);
  });
});

describe('what nobody expects', () => {
  it('an unknown address, another method and a thrown error are problems without internals', async () => {
    const double = engineDouble({ listOperations: () => Promise.reject(new Error('secret table name')) });
    const rig = appRig({ engine: double.engine });
    expect((await problemOf(await rig.ask('GET', '/v1/nothing'))).type).toMatch(/\/not-found$/);
    const method = await rig.ask('DELETE', path, { headers: agent });
    expect(method.status).toBe(405);
    expect(method.headers.get('allow')).toBe('PUT, GET');
    await problemOf(method);
    const failed = await rig.ask('GET', '/v1/operations', { headers: agent });
    expect(failed.status).toBe(500);
    expect(JSON.stringify(await problemOf(failed))).not.toContain('secret');
    expect(failed.headers.get('x-content-type-options')).toBe('nosniff');
    expect(rig.failures).toHaveLength(1);
  });

  it('a database that is away is 503 with Retry-After, and not final', async () => {
    const away = Object.assign(new Error('Failed query'), {
      cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
    });
    const rig = appRig({ engine: engineDouble({ apply: () => Promise.reject(away) }).engine });
    const response = await rig.ask('PUT', path, { headers: agent, body: proposal });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).not.toBeNull();
    const problem = await problemOf(response);
    expect(problem.final).toBe(false);
    expect(problem.type).toMatch(/\/unavailable$/);
  });

  it('a protocol that is not served is 426 with the ones that are', async () => {
    const rig = appRig({ engine: engineDouble().engine });
    const headers = { ...agent, 'holdfast-protocol': '99' };
    const response = await rig.ask('POST', '/v1/commands', { headers, body: { commands: [{}] } });
    expect(response.status).toBe(426);
    expect(await response.json()).toMatchObject({ versions: [1, 2, 3] });
  });
});

describe('requests with a cookie', () => {
  const person = as({ role: 'agent' });
  const status = async (headers: Record<string, string>, options: AskOptions = { body: proposal }) => {
    const double = engineDouble();
    const response = await appRig({ engine: double.engine }).ask('PUT', path, {
      headers: { ...person, ...headers },
      ...options,
    });
    return { status: response.status, reached: double.commands.length };
  };

  // Red when: `demandOwnOrigin` or `demandJsonType` is left out.
  it('that come from a foreign page, or not as JSON, change nothing', async () => {
    expect(await status({ origin: 'https://evil.example' })).toEqual({ status: 403, reached: 0 });
    expect(await status({ 'sec-fetch-site': 'cross-site' })).toEqual({ status: 403, reached: 0 });
    expect(await status({ 'sec-fetch-site': 'same-site', origin: 'http://localhost:4780' })).toEqual({
      status: 403,
      reached: 0,
    });
    expect(await status({ origin: 'http://localhost:9999' })).toEqual({ status: 403, reached: 0 });
    expect(await status({ 'content-type': 'text/plain' }, { text: JSON.stringify(proposal) })).toEqual({
      status: 400,
      reached: 0,
    });
  });

  it('that come from our own pages, by either loopback name, are served', async () => {
    expect((await status({ origin: 'http://localhost:4780', 'sec-fetch-site': 'same-origin' })).reached).toBe(
      1,
    );
    expect((await status({ origin: 'http://127.0.0.1:4780', host: '127.0.0.1:4780' })).reached).toBe(1);
    expect((await status({})).reached).toBe(1);
  });
});

describe('a batch of commands', () => {
  it('one that is malformed, forbidden or somebody else’s spoils no other', async () => {
    const double = engineDouble();
    const rig = appRig({ engine: double.engine });
    const good = { type: 'propose', commandId: id, operationId: id, ...proposal };
    const commandId = '01890a5d-ac96-774b-bcce-b302099a8058';
    const commands = [
      'nonsense',
      { ...good, amount: 3 },
      { type: 'approve', commandId, operationId: id, fingerprint: 'a'.repeat(64) },
      { ...good, subject: 'somebody-else' },
      good,
    ];
    const headers = { ...as({ role: 'agent', id: 'agent-7' }), origin: 'http://localhost:4780' };
    const response = await rig.ask('POST', '/v1/commands', { headers, body: { commands } });
    expect(response.status).toBe(200);
    const { results } = (await response.json()) as {
      results: { status: string; problem?: { type: string } }[];
    };
    expect(results.map(({ status, problem }) => problem?.type.split('/').at(-1) ?? status)).toEqual([
      ...['invalid', 'invalid', 'forbidden', 'wrong-subject', 'applied'],
    ]);
    expect(double.commands.filter((one) => one.ok)).toHaveLength(1);
  });
});
