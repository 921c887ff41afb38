import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { selectFault } from '../faults/select-fault.ts';
import { paymentByCharge } from '../ledger/questions.ts';
import { judgeAuthorization } from '../stripe/authorization.ts';
import { type ReadCall, readCalls } from '../stripe/read-calls.ts';
import { invalidRequest } from '../stripe/refusal.ts';
import type { World } from '../world.ts';
import { type Answer, jsonAnswer, refusalAnswer } from './answer.ts';
import { answerCreateRefund, type DeliverFirst } from './create-refund.ts';
import { pause, takeDelay } from './delay.ts';
import { type ApiContext, conclude, type Received, receive } from './received.ts';
import { takeAnswerFault } from './take-answer-fault.ts';

const readPaths: Record<ReadCall, string> = {
  'refund.list': '/v1/refunds',
  'refund.retrieve': '/v1/refunds/:id',
  'payment_intent.retrieve': '/v1/payment_intents/:id',
  'charge.retrieve': '/v1/charges/:id',
  'dispute.list': '/v1/disputes',
  'dispute.retrieve': '/v1/disputes/:id',
  'event.list': '/v1/events',
  'event.retrieve': '/v1/events/:id',
  'account.retrieve': '/v1/account',
  'balance.retrieve': '/v1/balance',
};

export function apiRoutes(world: World, deliverFirst: DeliverFirst): Hono<{ Bindings: HttpBindings }> {
  const routes = new Hono<{ Bindings: HttpBindings }>();
  routes.post('/v1/refunds', (context) => answerCreateRefund(world, context, deliverFirst));
  for (const [name, path] of Object.entries(readPaths) as [ReadCall, string][]) {
    routes.get(path, (context) => answerRead(world, context, name, context.req.param('id') ?? ''));
  }
  routes.all('/v1/*', (context) => answerUnknownPath(world, context));
  return routes;
}

async function answerRead(world: World, context: ApiContext, on: ReadCall, id: string): Promise<Response> {
  const received = await receive(world, context);
  const outcome = { replayed: false, executed: null, fault: null };
  const unauthorized = judgeAuthorization(received.authorization);
  if (unauthorized !== null) {
    return conclude(world, context, received, refusalAnswer(unauthorized), { how: 'whole' }, outcome);
  }
  const call = { on, paymentIntent: paymentOf(world, received, id) };
  const { plan } = takeAnswerFault(world, call);
  const hiding =
    on === 'refund.list' ? selectFault(world.ledger.faults.values(), call, ['hide_from_list']) : null;
  if (hiding !== null && hiding.counted.length > 0) void world.commit(hiding.counted);
  const delays = takeDelay(world, call);
  await pause(delays.beforeMs);
  const answer = plan.answer ?? readAnswer(world, received, on, id, hiding?.fault?.ms ?? 0);
  await pause(delays.afterMs);
  return conclude(world, context, received, answer, plan.ending, outcome);
}

function readAnswer(
  world: World,
  { parameters }: Received,
  on: ReadCall,
  id: string,
  hideYoungerThanMs: number,
): Answer {
  const question = { ledger: world.ledger, id, parameters, nowMs: world.nowMs(), hideYoungerThanMs };
  const read = readCalls[on](question);
  return 'refusal' in read ? refusalAnswer(read.refusal) : jsonAnswer(200, read.value);
}

async function answerUnknownPath(world: World, context: ApiContext): Promise<Response> {
  const received = await receive(world, context);
  const { method, path } = context.req;
  const refusal = { ...invalidRequest(`Unrecognized request URL (${method}: ${path}).`), status: 404 };
  const outcome = { replayed: false, executed: null, fault: null };
  return conclude(world, context, received, refusalAnswer(refusal), { how: 'whole' }, outcome);
}

/** Faults may be aimed at one payment: here it is named by a filter or by the object that is asked for. */
function paymentOf({ ledger }: World, { parameters }: Received, id: string): string | null {
  if (ledger.payments.has(id)) return id;
  const refund = ledger.refunds.get(id);
  if (refund !== undefined) return refund.paymentIntent;
  const charge = parameters.get('charge') ?? id;
  return parameters.get('payment_intent') ?? paymentByCharge(ledger, charge)?.id ?? null;
}
