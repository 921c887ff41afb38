import { caseActSchema, followUpActSchema, operationSchema, providerLedgerSchema } from '@holdfast/operation';
import { z } from 'zod';
import type { Identity } from '../../sign-in/identify.ts';
import { problemResponse, refuse } from '../problem.ts';
import { guarded, json, type GuardedRoute } from '../route.ts';

/** A case is seen to by people, or by a program of theirs; never by a model. */
const forbidsAssistants = ({ principal: { actor } }: Identity): string | undefined =>
  actor.assistant ? 'An assistant may not take a case.' : undefined;

const act = guarded({
  method: 'post',
  path: '/v1/operations/{id}/case',
  summary: 'Take a case, hand it on, put it back, or write beside it. Settles nothing.',
  needs: ['operator'],
  pathId: 'operation',
  body: caseActSchema,
  forbids: forbidsAssistants,
  answers: { 200: { description: 'The operation as it is now', schema: operationSchema } },
  handle: async ({ engine, who, id, body }) => {
    const answer = await engine.cases.act(who, id, body);
    return answer.kind === 'refused' ? problemResponse(answer.problem) : json(200, answer.operation);
  },
});

const followUp = guarded({
  method: 'post',
  path: '/v1/operations/{id}/follow-up',
  summary:
    'See to a refund that did not last: take it, put it back, or close it once the customer was paid another way.',
  needs: ['agent', 'operator'],
  pathId: 'operation',
  body: followUpActSchema,
  forbids: ({ principal: { actor } }: Identity): string | undefined =>
    actor.assistant ? 'An assistant may not see to this.' : undefined,
  answers: { 200: { description: 'The operation as it is now', schema: operationSchema } },
  handle: async ({ engine, who, id, body }) => {
    const answer = await engine.cases.followUp(who, id, body);
    return answer.kind === 'refused' ? problemResponse(answer.problem) : json(200, answer.operation);
  },
});

const takers = guarded({
  method: 'get',
  path: '/v1/case-takers',
  summary: 'Whom a case can be handed to.',
  needs: ['operator'],
  answers: {
    200: {
      description: 'Operators and admins, by name',
      schema: z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) }),
    },
  },
  handle: async ({ engine, who }) => json(200, { items: await engine.cases.takers(who) }),
});

const ledger = guarded({
  method: 'get',
  path: '/v1/operations/{id}/provider-ledger',
  summary:
    'What the provider shows of its payment now. Asked when you ask, every 2 s at most and within the account’s budget.',
  needs: ['operator'],
  pathId: 'operation',
  answers: {
    200: { description: 'The provider’s side, or why it could not be seen', schema: providerLedgerSchema },
  },
  // It waits for a provider: no place at the database meanwhile, and one for each piece of work before and after.
  place: 'none',
  handle: async ({ engine, who, id, identity, inPlace }) => {
    // A key that only reads must change nothing, not even when the worker looks next.
    const mayWake = identity.scope === undefined || identity.scope === 'role';
    const found = await engine.providerLedger(who, id, { inPlace, mayWake });
    if (found === null) throw refuse('not-found', 'There is no operation of this ID.');
    return json(200, found);
  },
});

export const caseRoutes: readonly GuardedRoute[] = [act, followUp, takers, ledger];
