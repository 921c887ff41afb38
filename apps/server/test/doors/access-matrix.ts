import { defaultPolicy, type Role } from '@holdfast/operation';
import { scopeCovers, type KeyScope } from '../../src/sign-in/key-rules.ts';

/*
 * Who may use which door: one row for every route that is mounted. A route without a row fails the test beside this
 * file, which tries every cell (route × caller × organisation × state) through HTTP.
 *
 * To add a route, add its row to `rows`; a line is enough for most:
 *   { route: 'post /v1/keys', may: ['admin'], body: () => ({ name: 'Shop' }) },
 * Everyone who is not in `may` has to be refused with 403 (a stranger with 401), and nothing may have changed. Whoever is
 * in `may` has to be answered 2xx, or what `passes` says where a good request would need more than a row
 * (`passes: [404]`: let in, and then there is no such key). `{id}` in a path of /v1/operations, /v1/orders or /v1/tickets
 * is filled in; any other path with an ID gives `path`. `not` names callers that are refused whatever their role is.
 * Callers of another organisation that hold the role have to be answered 404 where the path has an `{id}` (else 2xx with
 * nothing of ours in it), or what `elsewhere` says; nothing of ours may change. `in` says what other states than the first
 * answer to those who may. Writing down that a route is open to all (`open`) is a decision: it guards itself.
 */

/** What an operation is when a caller comes to it. `own`: the caller, or whom it acts for, proposed or approved it. */
export type State =
  | 'proposed'
  | 'own-proposed'
  | 'approved'
  | 'own-approved'
  | 'submitting'
  | 'outcome_unknown'
  | 'pending'
  | 'confirmed'
  | 'failed'
  | 'reversed'
  | 'cancelled'
  | 'denied'
  | 'expired'
  | 'unheard';

/** What a row may fill its request with. */
export type At = {
  readonly operationId: string;
  readonly fingerprint: unknown;
  readonly version: unknown;
  readonly orderId: string;
  readonly ticketId: string;
  readonly freshId: () => string;
};

/**
 * Callers refused whatever their role is: `keys` where the installation does not let them decide, `any-key` always;
 * `people` where a door is for programs.
 */
export type Not = 'assistants' | 'keys' | 'any-key' | 'people';

type Answers = readonly number[];

export type GuardedRow = {
  readonly route: string;
  readonly may: readonly Role[];
  readonly not?: readonly Not[];
  /** The narrowest key that is let in; unless said, one that reads for `get`, and a whole one for all others. */
  readonly scope?: KeyScope;
  readonly path?: (at: At) => string;
  readonly body?: (at: At) => unknown;
  /** What those who may are answered; `[]`: any 2xx. */
  readonly passes?: Answers;
  readonly elsewhere?: Answers;
  /** The state the operation is in for `passes`; `proposed` unless said. */
  readonly state?: State;
  readonly in?: Partial<Record<State, Answers>>;
  /** Asked by one after another of the same operation it does and answers the same. */
  readonly repeats?: true;
};
/** Asked by everyone with the same answer: it tells nothing of an organisation, or guards itself. */
export type OpenRow = {
  readonly route: string;
  readonly open: Answers;
  readonly body?: () => unknown;
  /** The provider sends it, who has no page that it comes from. */
  readonly byProvider?: true;
};
export type Row = GuardedRow | OpenRow;

const all: readonly Role[] = ['agent', 'approver', 'operator', 'admin', 'integrator'];
const proposers: readonly Role[] = ['agent', 'operator', 'admin'];
const approvers: readonly Role[] = ['approver', 'admin'];
const operators: readonly Role[] = ['operator', 'admin'];
const notified: readonly Role[] = ['agent', 'approver', 'operator', 'admin'];

const refund = (at: At) => ({
  kind: 'refund',
  orderId: at.orderId,
  amount: { minor: 100, currency: 'EUR' },
  reason: 'returned',
});
const ending = (at: At) => ({ commandId: at.freshId(), reason: 'not wanted' });
const money = { minor: 5_000, currency: 'EUR' };
const order = (at: At) => ({
  customer: { id: 'c-1', name: 'Ann' },
  payment: { provider: 'stripe', reference: `pi_${at.orderId}`, captured: money },
  lines: [{ sku: 's', title: 'Lamp', quantity: 1, amount: money }],
  returns: [],
  placedAt: '2026-01-01T00:00:00.000Z',
});

/** From the claim on: an answer for all of them, whatever the provider says in the end. */
const fromTheClaimOn = (answers: Answers): Partial<Record<State, Answers>> => ({
  submitting: answers,
  outcome_unknown: answers,
  pending: answers,
  confirmed: answers,
  failed: answers,
  reversed: answers,
});

const operationRows: readonly GuardedRow[] = [
  {
    route: 'put /v1/operations/{id}',
    scope: 'propose',
    may: proposers,
    body: refund,
    state: 'unheard',
    // There it is an order that nobody knows.
    elsewhere: [404, 422],
  },
  {
    route: 'post /v1/operations/{id}/approve',
    may: approvers,
    not: ['assistants', 'keys'],
    body: (at) => ({ commandId: at.freshId(), fingerprint: at.fingerprint ?? 'a'.repeat(64) }),
    in: {
      'own-proposed': [403],
      approved: [200],
      'own-approved': [200],
      ...fromTheClaimOn([409]),
      // Where none is needed any more it is recorded, and does nothing.
      submitting: [200],
      outcome_unknown: [200],
      pending: [200],
      cancelled: [409],
      denied: [409],
      expired: [409],
      unheard: [404],
    },
  },
  {
    route: 'post /v1/operations/{id}/withdraw',
    may: approvers,
    not: ['assistants'],
    body: (at) => ({ commandId: at.freshId() }),
    state: 'own-approved',
    in: {
      proposed: [409],
      approved: [409],
      ...fromTheClaimOn([409]),
      cancelled: [409],
      denied: [409],
      expired: [409],
      unheard: [404],
    },
  },
  {
    route: 'post /v1/operations/{id}/deny',
    may: approvers,
    not: ['assistants'],
    body: ending,
    in: {
      'own-proposed': [200, 403],
      approved: [200],
      ...fromTheClaimOn([409]),
      cancelled: [409],
      denied: [200],
      expired: [409],
      unheard: [404],
    },
  },
  {
    route: 'post /v1/operations/{id}/cancel',
    scope: 'propose',
    may: proposers,
    body: ending,
    state: 'own-proposed',
    in: {
      proposed: [403],
      approved: [403],
      ...fromTheClaimOn([403, 409]),
      cancelled: [403, 409],
      denied: [403, 409],
      expired: [403, 409],
      unheard: [200],
    },
    // An ID that their organisation never heard of: theirs from then on, whoever of them is first.
    elsewhere: [200, 403],
  },
  {
    route: 'post /v1/operations/{id}/resolve',
    may: operators,
    not: ['assistants', 'keys'],
    body: (at) => ({ commandId: at.freshId(), version: at.version ?? 1, outcome: 'failed', note: 'seen' }),
    passes: [409],
    in: {
      approved: [409],
      submitting: [409],
      // The first word for "failed" waits for a second operator's.
      outcome_unknown: [202],
      pending: [409],
      // What is known stays: it only takes attention away.
      confirmed: [200],
      failed: [200],
      reversed: [200],
      cancelled: [409],
      denied: [409],
      expired: [409],
      unheard: [404],
    },
  },
  {
    route: 'post /v1/operations/{id}/check',
    may: ['agent', 'approver', 'operator', 'admin'],
    repeats: true,
    in: { ...fromTheClaimOn([200]), cancelled: [200], denied: [200], expired: [200], unheard: [404] },
  },
  {
    route: 'get /v1/operations/{id}',
    may: all,
    in: {
      approved: [200],
      ...fromTheClaimOn([200]),
      cancelled: [200],
      denied: [200],
      expired: [200],
      unheard: [404],
    },
  },
  {
    route: 'post /v1/operations/{id}/case',
    may: operators,
    not: ['assistants'],
    body: (at) => ({ act: 'comment', commandId: at.freshId(), text: 'called the customer' }),
    repeats: true,
    in: { approved: [200], ...fromTheClaimOn([200]), cancelled: [200], unheard: [404] },
  },
  {
    route: 'post /v1/operations/{id}/follow-up',
    may: proposers,
    not: ['assistants'],
    body: (at) => ({ act: 'take', commandId: at.freshId() }),
    passes: [422],
    // Only of what came back is there something to do.
    in: { approved: [422], ...fromTheClaimOn([422]), reversed: [200, 409], cancelled: [422], unheard: [404] },
  },
  { route: 'get /v1/operations/{id}/provider-ledger', may: operators, in: { unheard: [404] } },
  { route: 'get /v1/operations', may: all },
  {
    route: 'post /v1/operations/lookup',
    scope: 'read',
    may: all,
    body: (at) => ({ ids: [at.operationId] }),
  },
  {
    // Each command in it is judged as by the route of its own; the test walks their types.
    route: 'post /v1/commands',
    scope: 'propose',
    may: all,
    body: () => ({ commands: [{}] }),
  },
];

const otherRows: readonly GuardedRow[] = [
  { route: 'get /v1/feed', may: all, path: () => '/v1/feed?until=caught-up' },
  { route: 'get /v1/orders/{id}', may: all },
  { route: 'get /v1/orders', may: all },
  { route: 'put /v1/orders/{id}', may: ['integrator'], body: order, passes: [409], elsewhere: [200, 201] },
  { route: 'get /v1/tickets/{id}', may: all },
  { route: 'get /v1/tickets', may: all },
  {
    route: 'put /v1/tickets/{id}',
    may: ['integrator'],
    body: () => ({ subject: 'Lamp', customerId: 'c-1', status: 'open' }),
    elsewhere: [201, 200],
  },
  { route: 'get /metrics', may: operators },
  { route: 'get /v1/numbers', may: operators },
  {
    route: 'get /v1/numbers/operations',
    may: operators,
    path: () => '/v1/numbers/operations?figure=unknown',
  },
  { route: 'get /v1/pending-times', may: all },
  { route: 'get /v1/hold', may: all },
  // Off where it is off: let in, and nothing changes.
  { route: 'post /v1/hold', may: operators, not: ['any-key'], body: () => ({ on: false }) },
  { route: 'get /v1/audit', may: operators },
  { route: 'get /v1/audit/export', may: operators },
  { route: 'get /v1/audit/seals', may: operators },
  { route: 'get /v1/case-takers', may: operators },
  { route: 'get /v1/operations/export', may: operators },
  { route: 'get /v1/sweeps', may: operators },
  // Whoever is of an organisation without a provider account has nothing to compare.
  {
    route: 'post /v1/sweeps',
    may: operators,
    not: ['assistants'],
    body: () => ({ hours: 24 }),
    passes: [200, 201],
    elsewhere: [404],
  },
  ...['findings', 'export'].map((word): GuardedRow => ({
    route: `get /v1/sweeps/{id}/${word}`,
    path: () => `/v1/sweeps/01890a5d-ac96-4bbb-bcce-b302099a8057/${word}`,
    may: operators,
    passes: [404],
  })),
  { route: 'post /v1/demo/cases', may: operators, passes: [404], elsewhere: [404] },
  { route: 'get /v1/me', may: all },
  { route: 'get /v1/me/signing', may: approvers },
  {
    // It takes nobody anywhere: what it does for whoever belongs to several is tried by a test of its own.
    route: 'post /v1/me/organisation',
    may: all,
    not: ['any-key'],
    body: () => ({ organisationId: 'none of theirs' }),
    passes: [422],
  },
];

const admins: readonly Role[] = ['admin'];
const policyRows: readonly GuardedRow[] = [
  { route: 'get /v1/policy', may: admins, not: ['any-key'] },
  {
    route: 'post /v1/policy/preview',
    may: admins,
    not: ['any-key'],
    body: () => ({ policy: defaultPolicy }),
  },
  {
    // For a version that is not in force: let in, and nothing happens.
    route: 'put /v1/policy',
    may: admins,
    not: ['any-key'],
    body: () => ({ basedOn: 999, policy: defaultPolicy, note: 'seen' }),
    passes: [409],
    elsewhere: [409],
  },
  ...['approve', 'refuse'].map((word): GuardedRow => ({
    route: `post /v1/policy/changes/{id}/${word}`,
    path: () => `/v1/policy/changes/01890a5d-ac96-4bbb-bcce-b302099a8057/${word}`,
    may: admins,
    not: ['any-key'],
    body: () => ({}),
    passes: [404],
  })),
];
const nobody = () => ({ personId: 'nobody' });
const noKey = () => ({ keyId: 'none' });
const noInvitation = () => ({ invitationId: 'none' });
const adminOnly = { may: ['admin'], not: ['any-key'] } as const;
/** What an admin alone does, signed in: let in, and then there is no such person, key or invitation. */
const peopleRows: readonly GuardedRow[] = [
  { ...adminOnly, route: 'get /v1/people' },
  {
    ...adminOnly,
    route: 'post /v1/people/role',
    body: () => ({ ...nobody(), role: 'agent', was: 'admin' }),
    passes: [404],
  },
  { ...adminOnly, route: 'post /v1/people/remove', body: nobody, passes: [404] },
  { ...adminOnly, route: 'post /v1/people/take-back', body: nobody, passes: [404] },
  {
    ...adminOnly,
    route: 'post /v1/people/invite',
    body: (at) => ({ email: `${at.freshId()}@nobody.test`, name: 'Nobody', role: 'agent' }),
  },
  { ...adminOnly, route: 'post /v1/people/invite-again', body: noInvitation, passes: [404] },
  { ...adminOnly, route: 'post /v1/people/withdraw-invitation', body: noInvitation, passes: [404] },
  {
    ...adminOnly,
    route: 'post /v1/people/{id}/recovery',
    body: () => ({ reason: 'lost the phone' }),
    passes: [404],
  },
  { ...adminOnly, route: 'post /v1/people/{id}/sessions/end', passes: [404] },
  { ...adminOnly, route: 'post /v1/recoveries/{id}/agree', passes: [404] },
  { ...adminOnly, route: 'post /v1/recoveries/{id}/withdraw', passes: [404] },
  { ...adminOnly, route: 'get /v1/keys' },
  { ...adminOnly, route: 'get /v1/provider-account' },
  {
    ...adminOnly,
    route: 'post /v1/keys',
    body: () => ({ name: 'A shop', role: 'agent', ownerId: null, expiresAt: null }),
  },
  { ...adminOnly, route: 'post /v1/keys/rotate', body: noKey, passes: [404] },
  { ...adminOnly, route: 'post /v1/keys/revoke', body: noKey, passes: [404] },
];

const endpoint = '/v1/webhook-endpoints/01890a5d-ac96-4bbb-bcce-b302099a8057';
/** Where events are sent: an admin's alone, signed in. Of one: let in, and then there is no such endpoint. */
const endpointRows: readonly GuardedRow[] = [
  { ...adminOnly, route: 'get /v1/webhook-endpoints' },
  {
    ...adminOnly,
    route: 'post /v1/webhook-endpoints',
    body: () => ({ url: 'https://127.0.0.1/' }),
    passes: [422],
    elsewhere: [422],
  },
  {
    ...adminOnly,
    route: 'get /v1/webhook-endpoints/{id}/deliveries',
    path: () => `${endpoint}/deliveries`,
    passes: [404],
  },
  ...(
    [
      ['switch', { on: true }],
      ['remove', {}],
      ['rotate', {}],
      ['test', {}],
      ['redeliver', { eventId: 'none' }],
    ] as const
  ).map(([word, body]): GuardedRow => ({
    ...adminOnly,
    route: `post /v1/webhook-endpoints/{id}/${word}`,
    path: () => `${endpoint}/${word}`,
    body: () => body,
    passes: [404],
  })),
];

const unknownPasskey = (id: string) => ({
  id,
  rawId: id,
  type: 'public-key',
  response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' },
});

/** What people do with their own sign-in. A session that is older than ten minutes has to be confirmed first: 403. */
const ownSignInRows: readonly GuardedRow[] = [
  { route: 'get /v1/me/security', may: all, not: ['any-key'] },
  { route: 'post /v1/me/confirm/options', may: all, not: ['any-key'] },
  {
    route: 'post /v1/me/confirm',
    may: all,
    not: ['any-key'],
    body: () => ({ password: 'not it' }),
    passes: [422],
  },
  { route: 'post /v1/me/passkeys/options', may: all, not: ['any-key'], passes: [200, 403] },
  {
    route: 'post /v1/me/passkeys',
    may: all,
    not: ['any-key'],
    body: () => ({ name: 'Tablet', credential: {} }),
    passes: [422],
  },
  {
    route: 'put /v1/me/passkeys/{id}',
    may: all,
    not: ['any-key'],
    body: () => ({ name: 'Tablet' }),
    passes: [404],
  },
  {
    route: 'post /v1/me/passkeys/{id}/revoke',
    may: all,
    not: ['any-key'],
    passes: [404, 403],
    elsewhere: [404, 403],
  },
  { route: 'post /v1/me/sessions/{id}/end', may: all, not: ['any-key'], passes: [404] },
  { route: 'post /v1/me/end-other-sessions', may: all, not: ['any-key'] },
  {
    route: 'post /v1/me/password',
    may: all,
    not: ['any-key'],
    body: () => ({ password: 'short' }),
    passes: [422],
  },
];

/** How those who approve and those who settle hear that something waits. Any person may take a browser from whoever had it before. */
const notificationRows: readonly GuardedRow[] = [
  { route: 'get /v1/me/notifications', may: notified, not: ['any-key'] },
  {
    route: 'post /v1/me/notifications/way',
    may: notified,
    not: ['any-key'],
    body: () => ({ way: 'push-else-mail' }),
  },
  { route: 'post /v1/me/notifications/test', may: notified, not: ['any-key'] },
  {
    route: 'post /v1/me/notifications/devices',
    may: notified,
    not: ['any-key'],
    body: () => ({ endpoint: 'https://127.0.0.1/', keys: {} }),
    passes: [422],
  },
  ...['own', 'end'].map((word): GuardedRow => ({
    route: `post /v1/me/notifications/devices/${word}`,
    may: all,
    not: ['any-key'],
    body: () => ({ endpoint: 'https://push.example.org/nobodys' }),
  })),
];

/** What programs that a model drives come by: never a browser's session, which a page could be made to send. */
const assistantRows: readonly GuardedRow[] = [
  {
    route: 'post /mcp',
    scope: 'propose',
    may: ['agent', 'admin'],
    not: ['people'],
    body: (at) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_order', arguments: { orderId: at.orderId } },
    }),
  },
  {
    route: 'post /v1/assistant',
    scope: 'propose',
    may: ['agent', 'admin'],
    body: (at) => ({ text: `What became of order ${at.orderId}?`, ticketId: at.ticketId }),
  },
];

const openRows: readonly OpenRow[] = [
  { route: 'post /v1/invitation', open: [422], body: () => ({ token: 'none' }) },
  { route: 'post /v1/invitation/accept', open: [422], body: () => ({ token: 'none' }) },
  { route: 'get /v1/sign-in-ways', open: [200] },
  { route: 'post /v1/passkey-sign-in/options', open: [200] },
  {
    route: 'post /v1/passkey-sign-in',
    open: [401],
    body: () => ({ credential: unknownPasskey(crypto.randomUUID()) }),
  },
  {
    route: 'post /v1/password-reset',
    open: [200],
    body: () => ({ email: `${crypto.randomUUID()}@nobody.test` }),
  },
  { route: 'post /v1/webhooks/stripe', open: [400], body: () => ({}), byProvider: true },
  { route: 'get /healthz', open: [200] },
  { route: 'get /readyz', open: [200] },
  { route: 'get /v1/demo', open: [404] },
  {
    route: 'post /v1/set-password',
    open: [422],
    body: () => ({ token: 'none', password: 'long enough for it' }),
  },
  {
    route: 'post /api/auth/sign-in/email',
    open: [401, 403],
    body: () => ({ email: `${crypto.randomUUID()}@nobody.test`, password: 'a wrong password' }),
  },
  { route: 'get /api/auth/get-session', open: [200] },
  { route: 'get /openapi.json', open: [200] },
  { route: 'get /docs', open: [200] },
  { route: 'get /*', open: [200, 404] },
];

/** Ends the session that asks, so it is tried by a test of its own. */
export const triedElsewhere: readonly string[] = ['post /api/auth/sign-out'];

export const guardedRows: readonly GuardedRow[] = [
  ...operationRows,
  ...otherRows,
  ...policyRows,
  ...peopleRows,
  ...ownSignInRows,
  ...notificationRows,
  ...endpointRows,
  ...assistantRows,
];
export const rows: readonly Row[] = [...guardedRows, ...openRows];

/** Whether a row lets a caller of its own organisation in. */
export const mayEnter = (
  row: GuardedRow,
  caller: {
    readonly role: Role;
    readonly assistant: boolean;
    readonly isKey: boolean;
    readonly scope?: KeyScope;
  },
  keysMayDecide: boolean,
): boolean => {
  const refused = row.not ?? [];
  if (caller.assistant && refused.includes('assistants')) return false;
  if (caller.isKey && refused.includes('any-key')) return false;
  if (!caller.isKey && refused.includes('people')) return false;
  if (caller.isKey && !keysMayDecide && refused.includes('keys')) return false;
  const needed = row.scope ?? (row.route.startsWith('get ') ? 'read' : 'role');
  return scopeCovers(caller.scope, needed) && row.may.includes(caller.role);
};
