import type { Hono } from 'hono';
import { mintId, openHouse, origin, proposalOf, type Answered, type House } from '../house-rig.ts';
import { appOf } from '../../src/start/run-server.ts';
import { addKey, addPerson, callersOf, strangersTo, type Caller, type Stranger } from './access-callers.ts';
import type { At, GuardedRow, State } from './access-matrix.ts';
import { bringTo, isLater } from './access-states.ts';

/** A house with two organisations in which the same callers are at home, and keys that decide or do not. */
export type AccessRig = {
  readonly house: House;
  readonly elsewhereId: string;
  readonly home: readonly Caller[];
  readonly elsewhere: readonly Caller[];
  readonly strangers: readonly Stranger[];
  readonly prepare: (state: State, caller?: Caller) => Promise<At | undefined>;
  readonly send: (
    row: { readonly route: string; readonly path?: GuardedRow['path'] },
    at: At,
    headers: Readonly<Record<string, string>>,
    body?: unknown,
    keysMayDecide?: boolean,
  ) => Promise<Answered>;
};

/** Is in what the home organisation holds, and may be in nothing that another organisation is told. */
export const marker = 'only-at-home';

const answered = async (response: Response): Promise<Answered> => {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const body =
    isJson && text !== '' && text !== 'null' ? (JSON.parse(text) as Record<string, unknown>) : { text };
  return { status: response.status, body, headers: response.headers };
};

const pathOf = (template: string, at: At): string => {
  if (template.startsWith('/v1/orders/')) return template.replace('{id}', at.orderId);
  if (template.startsWith('/v1/tickets/')) return template.replace('{id}', at.ticketId);
  return template.replace('{id}', at.operationId).replace('*', '');
};

const sender =
  (house: House): AccessRig['send'] =>
  async (row, at, headers, body, keysMayDecide = true) => {
    const apps = appsOf(house);
    const [method = '', template = ''] = row.route.split(' ');
    const app = keysMayDecide ? apps.deciding : apps.notDeciding;
    const response = await app.request(`${origin}${row.path?.(at) ?? pathOf(template, at)}`, {
      method: method.toUpperCase(),
      headers: {
        host: 'localhost:4780',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answered(response);
  };

const notDeciding = new WeakMap<House, Hono>();
const appsOf = (house: House): { readonly deciding: Hono; readonly notDeciding: Hono } => {
  const { opened } = house;
  const known =
    notDeciding.get(house) ?? appOf({ ...opened, settings: { ...opened.settings, keyApprovals: false } });
  notDeciding.set(house, known);
  return { deciding: house.app, notDeciding: known };
};

const refundBody = (orderId: string) => ({ ...proposalOf(orderId, 100), note: marker });

/** Brings an operation of an order of its own into a state. `undefined`: this caller can not have brought it there. */
const preparer = async (house: House): Promise<AccessRig['prepare']> => {
  const bystander = await addPerson(house, house.organisationId, 'admin', 'bystander@home.test');
  const second = await addPerson(house, house.organisationId, 'admin', 'second@home.test');
  const owned = (role: 'agent' | 'approver', ownerUserId: string) =>
    addKey(house, house.organisationId, { role, ownerUserId });
  const others = {
    propose: await owned('agent', bystander.userId),
    approve: await owned('approver', second.userId),
  };
  const integrator = await addKey(house, house.organisationId, { role: 'integrator' });
  const operator = await addKey(house, house.organisationId, { role: 'operator' });
  const step = async (method: string, path: string, key: string, body: unknown): Promise<Answered> => {
    const answer = await house.ask(method, path, { key, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer;
  };
  return async (state, caller) => {
    const proposer = state === 'own-proposed' ? caller?.own.propose : others.propose;
    const approver = state === 'own-approved' ? caller?.own.approve : others.approve;
    if (proposer === undefined || approver === undefined) return undefined;
    const orderId = `${marker}-${mintId()}`;
    const at = { operationId: mintId(), orderId, ticketId: `t-${orderId}`, freshId: mintId };
    const { reference } = await house.order(orderId);
    await step('PUT', `/v1/tickets/${at.ticketId}`, integrator, {
      subject: marker,
      customerId: 'c-1',
      orderId,
      status: 'open',
    });
    if (state === 'unheard') return { ...at, fingerprint: undefined, version: undefined };
    const route = `/v1/operations/${at.operationId}`;
    let last = await step('PUT', route, proposer, refundBody(orderId));
    const { fingerprint } = last.body;
    const ending = { commandId: mintId(), reason: 'not wanted' };
    if (state === 'approved' || state === 'own-approved' || (isLater(state) && state !== 'expired')) {
      last = await step('POST', `${route}/approve`, approver, { commandId: mintId(), fingerprint });
    }
    if (state === 'cancelled') last = await step('POST', `${route}/cancel`, others.propose, ending);
    if (state === 'denied') last = await step('POST', `${route}/deny`, others.approve, ending);
    if (!isLater(state)) return { ...at, fingerprint, version: last.body['version'] };
    const check = () => house.ask('POST', `${route}/check`, { key: operator, body: {} });
    const version = await bringTo(house, state, at.operationId, reference, check);
    return { ...at, fingerprint, version };
  };
};

export const openAccessRig = async (): Promise<AccessRig> => {
  const house = await openHouse({
    HOLDFAST_RATE_LIMIT: 'off',
    // What was left uncertain for one cell is not asked about again while others are prepared.
    HOLDFAST_CHECK_BACKOFF_MS: '3600000',
  });
  const { id: elsewhereId } = await house.opened.made.engine.createOrganisation('Elsewhere');
  return {
    house,
    elsewhereId,
    home: await callersOf(house, house.organisationId, 'home'),
    elsewhere: await callersOf(house, elsewhereId, 'elsewhere'),
    strangers: await strangersTo(house),
    prepare: await preparer(house),
    send: sender(house),
  };
};
