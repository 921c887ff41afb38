import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { armFault, clearFaults } from '../control.ts';
import { readFault } from '../faults/fault.ts';
import type { JournalEntry } from '../ledger/journal-entry.ts';
import { layout } from '../page/layout.ts';
import { refreshScript } from '../page/refresh-script.ts';
import { storyFaults } from '../page/story-section.ts';
import { style } from '../page/style.ts';
import { releaseHeld } from '../webhooks/delivery-plan.ts';
import type { World } from '../world.ts';
import * as act from './control-actions.ts';
import {
  clockInput,
  disputeChangeInput,
  disputeInput,
  readInput,
  refundChangeInput,
  refundInput,
} from './control-input.ts';

type PageContext = Context<{ Bindings: HttpBindings }>;
type Outcome = { entries: JournalEntry[] } | { problem: string };

const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export function pageRoutes(world: World): Hono<{ Bindings: HttpBindings }> {
  const { ledger } = world;
  const routes = new Hono<{ Bindings: HttpBindings }>();
  routes.get('/fake', (context) => context.redirect('/fake/'));
  routes.get('/fake/', async (context) => {
    await world.durable();
    context.header('content-security-policy', policy);
    context.header('cache-control', 'no-store');
    return context.html(layout(ledger, world.nowMs()));
  });
  routes.get('/fake/page/style.css', (context) => context.body(style, 200, { 'content-type': 'text/css' }));
  routes.get('/fake/page/refresh.js', (context) =>
    context.body(refreshScript, 200, { 'content-type': 'text/javascript' }),
  );
  const form = formHandler(world);
  faultForms(world, routes);
  routes.post(
    '/fake/page/webhooks/release',
    form(() => ({ entries: releaseHeld(ledger, world.nowMs()) })),
  );
  routes.post(
    '/fake/page/clock',
    form(({ advanceMs }) => {
      const read = readInput(clockInput, advanceMs === 'reset' ? { reset: true } : { advanceMs });
      return 'problem' in read ? read : act.moveClock(world, read.value);
    }),
  );
  routes.post(
    '/fake/page/refunds',
    form((fields) => {
      const read = readInput(refundInput, fields);
      return 'problem' in read ? read : act.refundByHand(world, read.value);
    }),
  );
  routes.post(
    '/fake/page/refunds/:id',
    form((fields, id) => {
      const read = readInput(refundChangeInput, fields);
      return 'problem' in read ? read : act.changeRefundByHand(world, id, read.value);
    }),
  );
  routes.post(
    '/fake/page/disputes',
    form((fields) => {
      const read = readInput(disputeInput, fields);
      return 'problem' in read ? read : act.disputeByHand(world, read.value);
    }),
  );
  routes.post(
    '/fake/page/disputes/:id',
    form((fields, id) => {
      const read = readInput(disputeChangeInput, fields);
      return 'problem' in read ? read : act.changeDisputeByHand(world, id, read.value);
    }),
  );
  return routes;
}

function faultForms(world: World, routes: Hono<{ Bindings: HttpBindings }>): void {
  const form = formHandler(world);
  routes.post(
    '/fake/page/faults/toggle',
    form((fields) => toggleFault(world, fields)),
  );
  routes.post(
    '/fake/page/faults/clear',
    form(() => ({ entries: clearFaults(world.ledger, world.nowMs()) })),
  );
  routes.post(
    '/fake/page/faults/story',
    form(() => prepareStory(world)),
  );
}

type Fields = Record<string, string | number>;

function toggleFault(world: World, { switch: position, ...fields }: Fields): Outcome {
  if (position === 'off') {
    const armed = [...world.ledger.faults.values()].filter(({ fault }) => fault.do === fields['do']);
    return {
      entries: act.removeFaults(
        world,
        armed.map(({ id }) => id),
      ),
    };
  }
  const read = readFault(fields);
  if ('problem' in read) return read;
  return { entries: [armFault(read.fault, world.nowMs(), world.mint)] };
}

/** In place of whatever was armed: pressed twice, or after other faults, it prepares the same story. */
function prepareStory(world: World): Outcome {
  const removed = act.removeFaults(world, [...world.ledger.faults.keys()]);
  return {
    entries: [...removed, ...storyFaults.map((fault) => armFault(fault, world.nowMs(), world.mint))],
  };
}

function formHandler(world: World) {
  return (decide: (fields: Fields, id: string) => Outcome) =>
    async (context: PageContext): Promise<Response> => {
      const fields = readFields(await context.req.text());
      const outcome = decide(fields, context.req.param('id') ?? '');
      if ('problem' in outcome) return context.text(outcome.problem, 400);
      if (outcome.entries.length > 0) await world.commit(outcome.entries);
      return context.redirect('/fake/', 303);
    };
}

/** A form knows only text, and an empty field means that it was left out. */
function readFields(encoded: string): Fields {
  const filled = [...new URLSearchParams(encoded)].filter(([, value]) => value !== '');
  return Object.fromEntries(
    filled.map(([name, value]) => [name, /^-?\d+$/.test(value) ? Number(value) : value]),
  );
}
