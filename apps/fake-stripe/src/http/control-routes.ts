import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import { armFault, clearFaults, registerPayments } from '../control.ts';
import { readFault } from '../faults/fault.ts';
import { toPaymentIntent } from '../stripe/payment-object.ts';
import { releaseHeld } from '../webhooks/delivery-plan.ts';
import type { World } from '../world.ts';
import * as act from './control-actions.ts';
import * as input from './control-input.ts';
import * as show from './control-views.ts';

type Routes = Hono<{ Bindings: HttpBindings }>;
type ControlContext = Context<{ Bindings: HttpBindings }>;

export function controlRoutes(world: World): Routes {
  const routes: Routes = new Hono();
  addViews(routes, world);
  addFaultControls(routes, world);
  addLedgerControls(routes, world);
  return routes;
}

function addViews(routes: Routes, world: World): void {
  const view = (look: (world: World) => object) => async (context: ControlContext) => {
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

function addFaultControls(routes: Routes, world: World): void {
  routes.post('/fake/faults', async (context) => {
    const read = readFault(await body(context));
    if ('problem' in read) return context.json({ error: read.problem }, 400);
    const entry = armFault(read.fault, world.nowMs(), world.mint);
    await world.commit([entry]);
    return context.json(show.fault(entry.armed), 201);
  });
  routes.delete('/fake/faults', async (context) => {
    await world.commit(clearFaults(world.ledger, world.nowMs()));
    return context.json(show.faults(world));
  });
  routes.delete('/fake/faults/:id', async (context) => {
    const id = context.req.param('id');
    if (!world.ledger.faults.has(id)) return context.json({ error: `id: no fault ${id} is armed` }, 404);
    await world.commit(act.removeFaults(world, [id]));
    return context.json(show.faults(world));
  });
  routes.post('/fake/webhooks/release', async (context) => {
    await world.commit(releaseHeld(world.ledger, world.nowMs()));
    return context.json(show.webhooks(world));
  });
}

function addLedgerControls(routes: Routes, world: World): void {
  const post = control(world);
  const id = (context: ControlContext) => context.req.param('id') ?? '';
  routes.post(
    '/fake/payment_intents',
    post(input.paymentIntentsInput, (given) => registerGiven(world, given)),
  );
  routes.post(
    '/fake/refunds',
    post(input.refundInput, (given) => act.refundByHand(world, given)),
  );
  routes.post(
    '/fake/refunds/:id',
    post(input.refundChangeInput, (given, context) => act.changeRefundByHand(world, id(context), given)),
  );
  routes.post(
    '/fake/disputes',
    post(input.disputeInput, (given) => act.disputeByHand(world, given)),
  );
  routes.post(
    '/fake/disputes/:id',
    post(input.disputeChangeInput, (given, context) => act.changeDisputeByHand(world, id(context), given)),
  );
  routes.post(
    '/fake/clock',
    post(input.clockInput, (given) => act.moveClock(world, given)),
  );
  routes.post(
    '/fake/webhook_endpoint',
    post(input.endpointInput, ({ url, secret }) => {
      const endpoint = url === null ? null : { url, secret };
      return { entries: [{ kind: 'endpoint.set', endpoint }], answer: { url } };
    }),
  );
}

function registerGiven(world: World, given: z.output<typeof input.paymentIntentsInput>): act.Done {
  const { ledger } = world;
  const registered = registerPayments(ledger, given, world.nowMs());
  if ('problem' in registered) return registered;
  const { payments, entries } = registered;
  const counts = { registered: entries.length, known: given.length - entries.length };
  return { entries, answer: { ...counts, payment_intents: payments.map(toPaymentIntent) } };
}

function control(world: World) {
  return <Schema extends z.ZodType>(
      schema: Schema,
      decide: (given: z.output<Schema>, context: ControlContext) => act.Done,
    ) =>
    async (context: ControlContext): Promise<Response> => {
      const read = input.readInput(schema, await body(context));
      if ('problem' in read) return context.json({ error: read.problem }, 400);
      const done = decide(read.value, context);
      if ('problem' in done) return context.json({ error: done.problem }, 400);
      await (done.entries.length === 0 ? world.durable() : world.commit(done.entries));
      return context.json(done.answer as object, done.status ?? 200);
    };
}

/** What is not JSON is judged as nothing at all, and the schema then says what it wants. */
async function body(context: ControlContext): Promise<unknown> {
  try {
    return JSON.parse(await context.req.text());
  } catch {
    return undefined;
  }
}
