import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine, Principal } from '@holdfast/engine';
import { mintOperationId, type Actor, type Command, type Operation, type Order } from '@holdfast/operation';
import type { People } from '../sign-in/people.ts';
import { demoSignIns } from './seed-demo.ts';

/** Three cases to settle, made on a wish: found late, never happened, contradicted afterwards. */
export type DemoCases = {
  /** Begins to make them; they appear in the queue within a minute. False while others are being made. */
  readonly prepare: () => boolean;
};

export type DemoCasesParts = {
  readonly engine: Engine;
  readonly people: Pick<People, 'personByEmail'>;
  readonly organisationId: string;
  readonly fakeStripeBase: string;
  readonly onTrouble: (error: unknown) => void;
};

type Cast = Readonly<Record<'agent' | 'approver' | 'operator' | 'admin', Principal>>;

const mint = (): string => mintOperationId(Date.now(), randomBytes(10));
const dayMs = 86_400_000;
const patienceMs = 60_000;
const betweenLooksMs = 300;

const castOf = async ({ people, organisationId }: DemoCasesParts): Promise<Cast> => {
  const found = await Promise.all(
    demoSignIns.map(async ({ email, name, role }) => {
      const id = await people.personByEmail(email);
      if (id === undefined) throw new Error(`the demo has no ${role}`);
      const actor: Actor = { id, name, role, assistant: false, via: 'session' };
      return [role, { organisationId, actor }] as const;
    }),
  );
  return Object.fromEntries(found) as Cast;
};

/** Orders that nobody has touched, with something come back and enough to refund a part of. */
const untouched = async (engine: Engine, who: Principal): Promise<readonly Order[]> => {
  const found: Order[] = [];
  let cursor: string | undefined;
  do {
    const page = await engine.searchOrders(who, '', cursor, 100);
    found.push(
      ...page.items.filter(
        (order) =>
          // The story's own order waits for whoever plays the story.
          !order.payment.reference.startsWith('pi_demoStory') &&
          order.captured.currency === 'EUR' &&
          order.refundable.minor === order.captured.minor &&
          order.captured.minor >= 1_000 &&
          !order.disputed &&
          order.operationIds.length === 0 &&
          Date.parse(order.placedAt) > Date.now() - 150 * dayMs &&
          order.returns.some(({ status }) => status === 'received'),
      ),
    );
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && found.length < 3);
  return found;
};

const atTheFake = async (
  { fakeStripeBase }: DemoCasesParts,
  method: 'POST' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<{ readonly id?: string }> => {
  const response = await fetch(`${fakeStripeBase}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  if (!response.ok) throw new Error(`the fake Stripe answered ${String(response.status)} to ${path}`);
  const text = await response.text();
  return text === '' ? {} : (JSON.parse(text) as { id?: string });
};

const give = async (engine: Engine, who: Principal, command: Command): Promise<Operation> => {
  const [result] = await engine.apply(who, [{ ok: true, command }]);
  if (result?.operation === undefined || result.status === 'rejected') {
    throw new Error(`${command.type} was refused: ${result?.problem?.detail ?? 'without a word'}`);
  }
  return result.operation;
};

/** Proposed, approved, and its request cut off at the provider: nobody here knows what came of it. */
const loseSight = async (
  parts: DemoCasesParts,
  cast: Cast,
  order: Order,
): Promise<{ readonly operation: Operation; readonly faultId: string }> => {
  const { engine } = parts;
  const fault = { on: 'refund.create', do: 'drop_before', times: 'always' };
  const armed = { ...fault, paymentIntent: order.payment.reference };
  const { id: faultId = '' } = await atTheFake(parts, 'POST', '/fake/faults', armed);
  const operationId = mint();
  const proposed = await give(engine, cast.agent, {
    ...{ type: 'propose', kind: 'refund', commandId: operationId, operationId, orderId: order.id },
    ...{ amount: { minor: Math.floor(order.captured.minor * 0.4), currency: 'EUR' }, reason: 'returned' },
    note: 'The parcel is back; one thing in it was missing.',
  });
  const { fingerprint } = proposed;
  if (fingerprint === null) throw new Error('a proposal has a fingerprint');
  await give(engine, cast.approver, { type: 'approve', commandId: mint(), operationId, fingerprint });
  for (const endMs = Date.now() + patienceMs; Date.now() < endMs; await pause(betweenLooksMs)) {
    const operation = await engine.getOperation(cast.operator, operationId);
    if (operation?.state === 'outcome_unknown') return { operation, faultId };
  }
  throw new Error('a demo case did not become uncertain');
};

/** One operator's word that it did not happen, against what it is this moment. */
const sayFailed = async (engine: Engine, who: Principal, id: string, note: string): Promise<void> => {
  for (const endMs = Date.now() + patienceMs; Date.now() < endMs; await pause(betweenLooksMs)) {
    const now = await engine.getOperation(who, id);
    // It is looked at, and tried again, all the while: what was said of an older version is said anew.
    if (now?.state !== 'outcome_unknown') continue;
    const word = { type: 'resolve', commandId: mint(), operationId: id, version: now.version } as const;
    const [result] = await engine.apply(who, [{ ok: true, command: { ...word, outcome: 'failed', note } }]);
    if (result?.status === 'applied') return;
  }
  throw new Error('a demo case could not be settled');
};

const foundLate = async (parts: DemoCasesParts, cast: Cast, order: Order): Promise<void> => {
  const { operation } = await loseSight(parts, cast, order);
  const amount = operation.amount?.minor;
  await atTheFake(parts, 'POST', '/fake/refunds', { payment_intent: order.payment.reference, amount });
};

const neverHappened = async (parts: DemoCasesParts, cast: Cast, order: Order): Promise<void> => {
  const { operation } = await loseSight(parts, cast, order);
  await sayFailed(parts.engine, cast.admin, operation.id, 'Stripe shows no refund of this payment.');
};

const contradicted = async (parts: DemoCasesParts, cast: Cast, order: Order): Promise<void> => {
  const { operation, faultId } = await loseSight(parts, cast, order);
  await sayFailed(parts.engine, cast.admin, operation.id, 'Stripe shows no refund of this payment.');
  await sayFailed(parts.engine, cast.operator, operation.id, 'I see none either.');
  await atTheFake(parts, 'DELETE', `/fake/faults/${faultId}`);
  // The request had been under way all along: it is carried out after everybody had given it up.
  await atTheFake(parts, 'POST', '/fake/refunds', {
    payment_intent: order.payment.reference,
    amount: operation.amount?.minor,
    metadata: { holdfast_organisation: parts.organisationId, holdfast_operation: operation.id },
  });
};

export const demoCases = (parts: DemoCasesParts): DemoCases => {
  let preparing = false;
  const make = async (): Promise<void> => {
    const cast = await castOf(parts);
    const orders = await untouched(parts.engine, cast.operator);
    const makers = [foundLate, neverHappened, contradicted];
    await Promise.all(
      makers.map(async (maker, index) => {
        const order = orders[index];
        if (order !== undefined) await maker(parts, cast, order);
      }),
    );
  };
  return {
    prepare: () => {
      if (preparing) return false;
      preparing = true;
      make()
        .catch(parts.onTrouble)
        .finally(() => {
          preparing = false;
        });
      return true;
    },
  };
};
