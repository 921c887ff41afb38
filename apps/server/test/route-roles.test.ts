import { roles, type Role } from '@holdfast/operation';
import { describe, expect, it } from 'vitest';
import { appRig, as } from './app-rig.ts';
import { engineDouble } from './engine-double.ts';

const id = '01890a5d-ac96-774b-bcce-b302099a8057';
const commandId = '01890a5d-ac96-774b-bcce-b302099a8058';
const decision = { commandId, reason: 'because' };

/** Written down by hand, apart from the code: which roles may use which route. Everyone else is refused. */
const anyRole: readonly Role[] = roles;
const table: readonly { route: string; path: string; may: readonly Role[]; body?: unknown }[] = [
  {
    route: 'put /v1/operations/{id}',
    path: `/v1/operations/${id}`,
    may: ['agent', 'operator', 'admin'],
    body: { kind: 'refund', orderId: 'o-1', amount: { minor: 100, currency: 'EUR' }, reason: 'returned' },
  },
  {
    route: 'post /v1/operations/{id}/approve',
    path: `/v1/operations/${id}/approve`,
    may: ['approver', 'admin'],
    body: { commandId, fingerprint: 'a'.repeat(64) },
  },
  {
    route: 'post /v1/operations/{id}/withdraw',
    path: `/v1/operations/${id}/withdraw`,
    may: ['approver', 'admin'],
    body: { commandId },
  },
  {
    route: 'post /v1/operations/{id}/deny',
    path: `/v1/operations/${id}/deny`,
    may: ['approver', 'admin'],
    body: decision,
  },
  {
    route: 'post /v1/operations/{id}/cancel',
    path: `/v1/operations/${id}/cancel`,
    may: ['agent', 'operator', 'admin'],
    body: decision,
  },
  {
    route: 'post /v1/operations/{id}/resolve',
    path: `/v1/operations/${id}/resolve`,
    may: ['operator', 'admin'],
    body: { commandId, version: 1, outcome: 'failed', note: 'seen' },
  },
  {
    route: 'post /v1/operations/{id}/check',
    path: `/v1/operations/${id}/check`,
    may: ['agent', 'approver', 'operator', 'admin'],
  },
  { route: 'post /v1/commands', path: '/v1/commands', may: anyRole, body: { commands: [{}] } },
  { route: 'post /v1/operations/lookup', path: '/v1/operations/lookup', may: anyRole, body: { ids: [id] } },
  { route: 'get /v1/operations/{id}', path: `/v1/operations/${id}`, may: anyRole },
  { route: 'get /v1/operations', path: '/v1/operations', may: anyRole },
  { route: 'get /v1/feed', path: '/v1/feed', may: anyRole },
  { route: 'get /v1/orders/{id}', path: '/v1/orders/o-1', may: anyRole },
  { route: 'get /v1/orders', path: '/v1/orders', may: anyRole },
  { route: 'put /v1/orders/{id}', path: '/v1/orders/o-1', may: ['integrator'], body: {} },
  { route: 'get /v1/tickets/{id}', path: '/v1/tickets/t-1', may: anyRole },
  { route: 'get /v1/tickets', path: '/v1/tickets', may: anyRole },
  { route: 'put /v1/tickets/{id}', path: '/v1/tickets/t-1', may: ['integrator'], body: {} },
  { route: 'get /metrics', path: '/metrics', may: ['operator', 'admin'] },
  { route: 'get /v1/me', path: '/v1/me', may: anyRole },
];

/** Routes that guard themselves or tell nothing. Adding one here is a decision. */
const open = [
  ...['post /v1/webhooks/stripe', 'get /healthz', 'get /readyz', 'get /v1/demo', 'post /v1/set-password'],
  ...['post /api/auth/sign-in/email', 'post /api/auth/sign-out', 'get /api/auth/get-session'],
];

const methodOf = (route: string): string => (route.split(' ')[0] ?? '').toUpperCase();

const statusFor = async (row: (typeof table)[number], headers: Record<string, string>): Promise<number> => {
  const rig = appRig({ engine: engineDouble().engine });
  const response = await rig.ask(methodOf(row.route), row.path, {
    headers,
    ...(row.body === undefined ? {} : { body: row.body }),
  });
  rig.streams.closeAll();
  return response.status;
};

describe('roles', () => {
  it('every route that exists is in this table, so that a new one can not be forgotten', () => {
    const { routes } = appRig({ engine: engineDouble().engine });
    const names = routes.map((route) => `${route.method} ${route.path}`);
    expect(names.toSorted()).toEqual([...table.map((row) => row.route), ...open].toSorted());
    const guarded = routes
      .filter((route) => route.needs !== 'nobody')
      .map((route) => `${route.method} ${route.path}`);
    expect(guarded.toSorted()).toEqual(table.map((row) => row.route).toSorted());
  });

  for (const row of table) {
    // Red when: `demandRole` or `authenticate` is left out of the pipeline, or a route's `needs` is widened.
    it(`${row.route} is refused to strangers and to every role but ${row.may.join(', ')}`, async () => {
      expect(await statusFor(row, {})).toBe(401);
      for (const role of roles) {
        const status = await statusFor(row, as({ role }));
        if (row.may.includes(role)) expect([401, 403], `${role} may`).not.toContain(status);
        else expect(status, `${role} may not`).toBe(403);
      }
    });
  }

  it('an assistant is refused approving, denying, withdrawing and resolving, whatever its role', async () => {
    const decisions = table.filter(({ route }) => /approve|deny|withdraw|resolve/.test(route));
    expect(decisions).toHaveLength(4);
    for (const row of decisions) {
      for (const via of ['owned-key', 'ownerless-key'] as const) {
        expect(await statusFor(row, as({ role: 'admin', assistant: true, via }))).toBe(403);
      }
    }
  });

  it('API keys approve and resolve only where that is switched on', async () => {
    for (const name of ['approve', 'resolve']) {
      const row = table.find(({ route }) => route.endsWith(name));
      if (row === undefined) throw new Error(`no row for ${name}`);
      const headers = as({ role: row.may[0] ?? 'admin', via: 'ownerless-key' });
      for (const keyApprovals of [false, true]) {
        const double = engineDouble();
        const rig = appRig({ engine: double.engine, keyApprovals });
        const response = await rig.ask('POST', row.path, { headers, body: row.body });
        expect(response.status === 403).toBe(!keyApprovals);
        expect(double.commands).toHaveLength(keyApprovals ? 1 : 0);
      }
    }
  });
});
