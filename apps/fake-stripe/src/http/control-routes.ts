import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import { armFault, changeDispute, clearFaults, openDispute, registerPayments } from '../control.ts';
import { readFault } from '../faults/fault.ts';
import type { JournalEntry } from '../ledger/journal-entry.ts';
import { byHand, changeRefund, type Circumstances, createRefund } from '../stripe/refund-creation.ts';
import { decideRefund } from '../stripe/refund-decision.ts';
import { toDispute } from '../stripe/dispute-object.ts';
import { toPaymentIntent } from '../stripe/payment-object.ts';
import { toRefund } from '../stripe/refund-object.ts';
import { releaseHeld } from '../webhooks/delivery-plan.ts';
import type { World } from '../world.ts';
import {
  clockInput,
  disputeChangeInput,
  disputeInput,
  endpointInput,
  paymentIntentsInput,
  readInput,
  refundChangeInput,
  refundInput,
} from './control-input.ts';
import * as show from './control-views.ts';

type ControlContext = Context<{ Bindings: HttpBindings }>;
/** What a control did: entries for the journal and what to answer once they are stored, or why not. */
type Done = { entries: JournalEntry[]; status?: 200 | 201; answer: () => unknown } | { problem: string };

export function controlRoutes(world: World): Hono<{ Bindings: HttpBindings }> {
  const routes = new Hono<{ Bindings: HttpBindings }>();
  addViews(routes, world);
  addFaultControls(routes, world);
  addLedgerControls(routes, world);
  const post = control(world);
  routes.post(
    '/fake/clock',
    post(clockInput, (input) => {
      const byMs = 'reset' in input ? -world.ledger.clockOffsetMs : input.advanceMs;
      return { entries: [{ kind: 'clock.moved', byMs }], answer: () => show.clock(world) };
    }),
  );
  routes.post(
    '/fake/webhook_endpoint',
    post(endpointInput, ({ url, secret }) => {
      const endpoint = url === null ? null : { url, secret };
      return { entries: [{ kind: 'endpoint.set', endpoint }], answer: () => ({ url, secret }) };
    }),
  );
  return routes;
}

function addViews(routes: Hono<{ Bindings: HttpBindings }>, world: World): void {
  const view = (look: (world: World) => unknown) => async (context: ControlContext) => {
    await world.durable();
    return context.json(look(world));
  };
  routes.get('/fake/health', view(show.health));
  routes.get('/fake/ledger', view(show.ledger));
  routes.get('/fake/requests', view(show.requests));
  routes.get('/fake/webhooks', view(show.webhooks));
  routes.get('/fake/faults', view(show.faults));
  routes.get('/fake/clock', view(show.clock));
}

function addFaultControls(routes: Hono<{ Bindings: HttpBindings }>, world: World): void {
  routes.post('/fake/faults', async (context) => {
    const read = readFault(await body(context));
    if ('problem' in read) return context.json({ error: read.problem }, 400);
    const entry = armFault(read.fault, world.nowMs(), world.mint);
    await world.commit([entry]);
    return context.json(entry.kind === 'fault.armed' ? show.fault(entry.armed) : {}, 201);
  });
  routes.delete('/fake/faults', async (context) => {
    await world.commit(clearFaults(world.ledger, world.nowMs()));
    return context.json(show.faults(world));
  });
  routes.delete('/fake/faults/:id', async (context) => {
    const id = context.req.param('id');
    if (!world.ledger.faults.has(id)) return context.json({ error: `id: no fault ${id} is armed` }, 404);
    await world.commit([{ kind: 'fault.removed', id }]);
    return context.json(show.faults(world));
  });
  routes.post('/fake/webhooks/release', async (context) => {
    await world.commit(releaseHeld(world.ledger, world.nowMs()));
    return context.json(show.webhooks(world));
  });
}

function addLedgerControls(routes: Hono<{ Bindings: HttpBindings }>, world: World): void {
  const { ledger } = world;
  const post = control(world);
  routes.post(
    '/fake/payment_intents',
    post(paymentIntentsInput, (inputs) => {
      const known = inputs.filter(({ id }) => ledger.payments.has(id)).length;
      const registered = registerPayments(ledger, inputs, world.nowMs());
      if ('problem' in registered) return registered;
      const payments = () => inputs.flatMap(({ id }) => ledger.payments.get(id) ?? []).map(toPaymentIntent);
      const counts = { registered: registered.entries.length, known };
      return { ...registered, answer: () => ({ ...counts, payment_intents: payments() }) };
    }),
  );
  routes.post(
    '/fake/refunds',
    post(refundInput, (input) => refundByHand(world, input)),
  );
  routes.post(
    '/fake/refunds/:id',
    post(refundChangeInput, (input, context) => {
      const refund = ledger.refunds.get(context.req.param('id') ?? '');
      if (refund === undefined) return { problem: 'id: no such refund' };
      const { status, failure_reason } = input;
      const change = { status, failureReason: status === 'failed' ? failure_reason : null };
      const changed = toRefund({ ...refund, ...change, planned: null });
      return { entries: changeRefund(ledger, refund, change, circumstances(world)), answer: () => changed };
    }),
  );
  routes.post(
    '/fake/disputes',
    post(disputeInput, (input) => {
      const payment = ledger.payments.get(input.payment_intent);
      if (payment === undefined)
        return { problem: `payment_intent: no such payment ${input.payment_intent}` };
      const { dispute, entries } = openDispute(ledger, payment, input, circumstances(world));
      return { entries, status: 201, answer: () => toDispute(dispute) };
    }),
  );
  routes.post(
    '/fake/disputes/:id',
    post(disputeChangeInput, ({ status }, context) => {
      const dispute = ledger.disputes.get(context.req.param('id') ?? '');
      if (dispute === undefined) return { problem: 'id: no such dispute' };
      const changed = changeDispute(ledger, dispute, status, circumstances(world));
      return { entries: changed.entries, answer: () => toDispute(changed.dispute) };
    }),
  );
}

export function refundByHand(world: World, input: z.output<typeof refundInput>): Done {
  const { payment_intent: paymentIntent, amount = null, reason = null, metadata } = input;
  const request = { paymentIntent, charge: null, amount, reason, metadata };
  const decision = decideRefund(world.ledger, request);
  if ('refusal' in decision) {
    const { param, message } = decision.refusal.error;
    return { problem: param === undefined ? message : `${param}: ${message}` };
  }
  const { payment, amount: decided } = decision;
  const { refund, entries } = createRefund(world.ledger, payment, decided, request, circumstances(world));
  return { entries, status: 201, answer: () => toRefund(refund) };
}

function circumstances(world: World): Circumstances {
  return { nowMs: world.nowMs(), mint: world.mint, request: byHand };
}

function control(world: World) {
  return <Schema extends z.ZodType>(
      schema: Schema,
      decide: (input: z.output<Schema>, context: ControlContext) => Done,
    ) =>
    async (context: ControlContext): Promise<Response> => {
      const read = readInput(schema, await body(context));
      if ('problem' in read) return context.json({ error: read.problem }, 400);
      const done = decide(read.value, context);
      if ('problem' in done) return context.json({ error: done.problem }, 400);
      await (done.entries.length === 0 ? world.durable() : world.commit(done.entries));
      return context.json(done.answer(), done.status ?? 200);
    };
}

/** What is not JSON is judged as nothing at all, and the schema then names what is missing. */
async function body(context: ControlContext): Promise<unknown> {
  try {
    return JSON.parse(await context.req.text());
  } catch {
    return undefined;
  }
}
