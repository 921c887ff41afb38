import {
  approveSchema,
  endSchema,
  operationDetailSchema,
  operationSchema,
  operationStates,
  operatorOnlyReasons,
  plainText,
  proposalSchema,
  resolveSchema,
  roleMay,
  withdrawSchema,
  type Command,
} from '@holdfast/operation';
import type { Engine, OperationFilter, Principal } from '@holdfast/engine';
import { isPageCursor } from '@holdfast/engine/postgres';
import { z } from 'zod';
import type { Identity } from '../../sign-in/identify.ts';
import { badCursor, problemResponse, Refusal, problemOf, refuse } from '../problem.ts';
import { guarded, json, type Answer, type GuardedRoute } from '../route.ts';

const operation: Answer = { description: 'The operation as it is now', schema: operationSchema };

/** Carries one command to the engine and answers with its verdict. */
const decide = async (
  engine: Engine,
  who: Principal,
  command: Command,
  statusOf: (verdict: { replayed: boolean; waiting: boolean }) => number,
): Promise<Response> => {
  const [result] = await engine.apply(who, [{ ok: true, command }]);
  if (result === undefined) throw new Error('the engine gave no verdict');
  if (result.status === 'rejected') {
    return problemResponse(result.problem ?? problemOf('unavailable', 'There is no verdict yet.'));
  }
  const waiting = result.operation?.resolution?.waiting ?? false;
  return json(statusOf({ replayed: result.status === 'replayed', waiting }), result.operation);
};

const always200 = (): number => 200;

/** What a proposal may not ask, by who asks. */
export const forbidsProposal = (identity: Identity, body: unknown): string | undefined => {
  const { actor } = identity.principal;
  const asked = z.looseObject({ differentFrom: z.unknown(), reason: z.unknown() }).safeParse(body);
  if (!asked.success) return undefined;
  if (asked.data.differentFrom !== undefined && (actor.assistant || actor.via === 'ownerless-key')) {
    return 'Only a person, or a key that a person owns, may say that it differs from another refund.';
  }
  if (
    operatorOnlyReasons.some((reason) => reason === asked.data.reason) &&
    !roleMay(actor.role, 'operator')
  ) {
    return 'The reason "fraudulent" puts the card on a block list, so only operators may choose it.';
  }
  return undefined;
};

/** A model's words are never permission; keys decide only where the installation allows it. */
export const forbidsDeciding =
  (keyApprovals: boolean, what: 'approve' | 'resolve' | 'deny' | 'withdraw') =>
  (identity: Identity): string | undefined => {
    const { actor } = identity.principal;
    if (actor.assistant) return `An assistant may not ${what}.`;
    const byKey = actor.via === 'ownerless-key' || actor.via === 'owned-key';
    if (byKey && !keyApprovals && (what === 'approve' || what === 'resolve')) {
      return `API keys may not ${what} here; people may. HOLDFAST_KEY_APPROVALS=on changes that.`;
    }
    return undefined;
  };

const propose = guarded({
  method: 'put',
  path: '/v1/operations/{id}',
  scope: 'propose',
  summary: 'Propose an operation. The ID is yours; the same again is answered with the operation as it is.',
  needs: ['agent', 'operator'],
  pathId: 'operation',
  body: proposalSchema,
  forbids: forbidsProposal,
  answers: { 200: operation, 201: { ...operation, description: 'Accepted, for the first time' } },
  handle: ({ engine, who, id, body }) =>
    decide(engine, who, { ...body, type: 'propose', commandId: id, operationId: id }, ({ replayed }) =>
      replayed ? 200 : 201,
    ),
});

const decisions = (keyApprovals: boolean): GuardedRoute[] => [
  guarded({
    method: 'post',
    path: '/v1/operations/{id}/approve',
    summary: 'Approve exactly this fingerprint.',
    needs: ['approver'],
    pathId: 'operation',
    body: approveSchema,
    forbids: forbidsDeciding(keyApprovals, 'approve'),
    answers: { 200: operation },
    handle: ({ engine, who, id, body }) =>
      decide(engine, who, { ...body, type: 'approve', operationId: id }, always200),
  }),
  guarded({
    method: 'post',
    path: '/v1/operations/{id}/withdraw',
    summary: 'Take your own approval back.',
    needs: ['approver'],
    pathId: 'operation',
    body: withdrawSchema,
    forbids: forbidsDeciding(keyApprovals, 'withdraw'),
    answers: { 200: operation },
    handle: ({ engine, who, id, body }) =>
      decide(engine, who, { ...body, type: 'withdraw', operationId: id }, always200),
  }),
  guarded({
    method: 'post',
    path: '/v1/operations/{id}/deny',
    summary: 'Deny it, with a reason.',
    needs: ['approver'],
    pathId: 'operation',
    body: endSchema,
    forbids: forbidsDeciding(keyApprovals, 'deny'),
    answers: { 200: operation },
    handle: ({ engine, who, id, body }) =>
      decide(engine, who, { ...body, type: 'deny', operationId: id }, always200),
  }),
  guarded({
    method: 'post',
    path: '/v1/operations/{id}/cancel',
    scope: 'propose',
    summary: 'Cancel it before it is submitted; also an ID that was never heard of.',
    needs: ['agent', 'operator'],
    pathId: 'operation',
    body: endSchema,
    answers: { 200: operation },
    handle: ({ engine, who, id, body }) =>
      decide(engine, who, { ...body, type: 'cancel', operationId: id }, always200),
  }),
  guarded({
    method: 'post',
    path: '/v1/operations/{id}/resolve',
    summary: 'Settle what could not be established, against the version seen.',
    needs: ['operator'],
    pathId: 'operation',
    body: resolveSchema,
    forbids: forbidsDeciding(keyApprovals, 'resolve'),
    answers: { 200: operation, 202: { ...operation, description: 'A second operator is needed' } },
    handle: ({ engine, who, id, body }) =>
      decide(engine, who, { ...body, type: 'resolve', operationId: id }, ({ waiting }) =>
        waiting ? 202 : 200,
      ),
  }),
];

const check = guarded({
  method: 'post',
  path: '/v1/operations/{id}/check',
  summary: 'Ask the provider about it now. Never submits.',
  needs: ['agent', 'approver', 'operator'],
  pathId: 'operation',
  answers: { 200: operation },
  handle: async ({ engine, who, id }) => {
    const answer = await engine.check(who, id);
    switch (answer.kind) {
      case 'scheduled':
        return json(200, answer.operation);
      case 'not-found':
        throw refuse('not-found', 'There is no operation of this ID.');
      case 'too-soon': {
        const seconds = Math.max(1, Math.ceil(answer.retryAfterMs / 1_000));
        throw new Refusal(
          problemOf('rate-limited', `It was asked about just now. Ask again in ${String(seconds)} s.`),
          {
            'retry-after': String(seconds),
          },
        );
      }
    }
  },
});

const get = guarded({
  method: 'get',
  path: '/v1/operations/{id}',
  summary: 'One operation with its history.',
  needs: 'any',
  pathId: 'operation',
  answers: { 200: { description: 'The operation', schema: operationDetailSchema } },
  handle: async ({ engine, who, id }) => {
    const found = await engine.getOperation(who, id);
    if (found === null) throw refuse('not-found', 'There is no operation of this ID.');
    return json(200, found);
  },
});

/** By what a list, and an export, of operations can be narrowed. */
export const operationFilters = {
  state: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(operationStates)))
    .optional(),
  needsPerson: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  orderId: z.optional(plainText(200)),
  ticketId: z.optional(plainText(200)),
  q: z.optional(plainText(200)),
  updatedAfter: z.iso.datetime().optional(),
};
const listQuery = z.object({
  ...operationFilters,
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});

/** What is absent is left out. */
export const given = <Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

const list = guarded({
  method: 'get',
  path: '/v1/operations',
  summary: 'Operations, newest first.',
  needs: 'any',
  query: listQuery,
  answers: {
    200: {
      description: 'A page of operations',
      schema: z.object({ items: z.array(operationSchema), nextCursor: z.string().nullable() }),
    },
  },
  handle: async ({ engine, who, query }) => {
    const { state, q, ...rest } = query;
    if (rest.cursor !== undefined && !isPageCursor(rest.cursor, 'operations')) throw badCursor();
    const filter: OperationFilter = given({ ...rest, states: state, text: q });
    return json(200, await engine.listOperations(who, filter));
  },
});

export const operationRoutes = (keyApprovals: boolean): GuardedRoute[] => [
  propose,
  ...decisions(keyApprovals),
  check,
  get,
  list,
];
