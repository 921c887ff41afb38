import { randomUUID } from 'node:crypto';
import { choosableTypes, deliveryOutcomes } from '@holdfast/engine';
import {
  addEndpoint,
  listEndpoints,
  mostEndpoints,
  readDeliveries,
  redeliver,
  removeEndpoint,
  rotateEndpoint,
  switchEndpoint,
  testEndpoint,
  type InOrganisation,
  type ListedEndpoint,
} from '@holdfast/engine/postgres';
import { z } from 'zod';
import { judgeEndpointAddress } from '../../announce/endpoint-address.ts';
import { mintSigningSecret, sealSigningSecret } from '../../announce/signing-secret.ts';
import { invalidFields, Refusal, refuse } from '../problem.ts';
import { guarded, json, type GuardedRoute } from '../route.ts';

export type EndpointParts = {
  readonly inOrganisation: InOrganisation;
  readonly sealingKey: () => Promise<Uint8Array>;
  readonly allowLoopback: boolean;
};

const path = '/v1/webhook-endpoints';
const admins = { needs: ['admin'], peopleOnly: true } as const;
const ofOne = { ...admins, pathId: 'outside' } as const;

const time = z.iso.datetime();
const typeSchema = z.enum(choosableTypes, `must be one of ${choosableTypes.join(', ')}`);
const endpointSchema = z.object({
  id: z.string(),
  url: z.string(),
  description: z.string(),
  eventTypes: z.array(typeSchema),
  on: z.boolean(),
  createdAt: time,
  oldSecretSignsUntil: time.nullable(),
  waiting: z.int(),
  failures: z.int(),
  failingSince: time.nullable(),
  markedFailingAt: time.nullable(),
  nextTryAt: time.nullable(),
  lastSuccessAt: time.nullable(),
});

const text = (at: Date | null): string | null => at?.toISOString() ?? null;
const shown = (row: ListedEndpoint) => ({
  id: row.id,
  url: row.url,
  description: row.description,
  eventTypes: row.eventTypes,
  on: row.isOn,
  createdAt: row.createdAt.toISOString(),
  oldSecretSignsUntil: text(row.previousUntil),
  waiting: row.waiting,
  failures: row.failures,
  failingSince: text(row.failingSince),
  markedFailingAt: text(row.markedFailingAt),
  nextTryAt: text(row.nextTryAt),
  lastSuccessAt: text(row.lastSuccessAt),
});

const noEndpoint = (): Refusal => refuse('not-found', 'There is no such endpoint.', { final: true });
const known = (id: string): string => {
  if (!z.uuid().safeParse(id).success) throw noEndpoint();
  return id;
};
const wrongField = (field: string, message: string): Refusal =>
  new Refusal(invalidFields([{ path: field, message }]));

const done = { 200: { description: 'Done', schema: z.object({ done: z.literal(true) }) } };

const listing = ({ inOrganisation }: EndpointParts): GuardedRoute =>
  guarded({
    ...{ ...admins, method: 'get', path, summary: 'Where this organisation’s events are sent.' },
    answers: {
      200: {
        description: 'Endpoints; their secrets are nowhere',
        schema: z.object({ items: z.array(endpointSchema), eventTypes: z.array(typeSchema) }),
      },
    },
    handle: async ({ who }) => {
      const items = await inOrganisation(who.organisationId, listEndpoints);
      return json(200, { items: items.map(shown), eventTypes: choosableTypes });
    },
  });

const adding = ({ inOrganisation, sealingKey, allowLoopback }: EndpointParts): GuardedRoute =>
  guarded({
    ...{ ...admins, method: 'post', path },
    summary: 'Send events to one more address. What signs them is told here, once.',
    body: z.object({
      url: z.string().min(1, 'must not be empty').max(2_000),
      description: z.string().trim().max(300).default(''),
      eventTypes: z.array(typeSchema).max(choosableTypes.length).default([]),
    }),
    answers: {
      201: { description: 'The secret, this once', schema: z.object({ id: z.string(), secret: z.string() }) },
    },
    handle: async ({ who: { organisationId, actor }, body }) => {
      const judged = judgeEndpointAddress(body.url, { allowLoopback });
      if (!judged.ok) throw wrongField('url', judged.because);
      const [id, secret] = [randomUUID(), mintSigningSecret()];
      const sealed = sealSigningSecret(await sealingKey(), organisationId, id, secret);
      const eventTypes = [...new Set(body.eventTypes)];
      const added = { id, url: judged.href, description: body.description, eventTypes, secret: sealed };
      const outcome = await inOrganisation(organisationId, (tx) =>
        addEndpoint(tx, { ...added, by: actor.id }),
      );
      if (outcome === 'too-many') {
        throw wrongField('url', `is one too many: ${String(mostEndpoints)} is the most`);
      }
      return json(201, { id, secret });
    },
  });

const managing = ({ inOrganisation, sealingKey }: EndpointParts): GuardedRoute[] => [
  guarded({
    ...{ ...ofOne, method: 'post', path: `${path}/{id}/switch`, answers: done },
    summary: 'Switch an endpoint off or on. What happens meanwhile goes out once it is on again.',
    body: z.object({ on: z.boolean() }),
    handle: async ({ who, id, body }) => {
      const isDone = await inOrganisation(who.organisationId, (tx) =>
        switchEndpoint(tx, known(id), body.on, who.actor.id),
      );
      if (!isDone) throw noEndpoint();
      return json(200, { done: true });
    },
  }),
  guarded({
    ...{ ...ofOne, method: 'post', path: `${path}/{id}/remove`, answers: done },
    summary: 'Send nothing there any more, for ever.',
    handle: async ({ who, id }) => {
      const isDone = await inOrganisation(who.organisationId, (tx) =>
        removeEndpoint(tx, known(id), who.actor.id),
      );
      if (!isDone) throw noEndpoint();
      return json(200, { done: true });
    },
  }),
  guarded({
    ...{ ...ofOne, method: 'post', path: `${path}/{id}/rotate` },
    summary: 'Sign with a new secret, told once. The old one signs beside it for the time asked for.',
    body: z.object({
      graceSeconds: z
        .int()
        .min(0)
        .max(7 * 86_400)
        .default(86_400),
    }),
    answers: {
      200: {
        description: 'The new secret, this once',
        schema: z.object({ id: z.string(), secret: z.string(), oldSecretSignsUntil: time.nullable() }),
      },
    },
    handle: async ({ who: { organisationId, actor }, id, body: { graceSeconds } }) => {
      const secret = mintSigningSecret();
      const sealed = sealSigningSecret(await sealingKey(), organisationId, known(id), secret);
      const rotated = await inOrganisation(organisationId, (tx) =>
        rotateEndpoint(tx, id, { secret: sealed, graceSeconds, by: actor.id }),
      );
      if (rotated === undefined) throw noEndpoint();
      return json(200, { id, secret, oldSecretSignsUntil: text(rotated.oldSignsUntil) });
    },
  }),
];

const deliverySchema = z.object({
  eventId: z.string(),
  type: z.string(),
  operationId: z.string().nullable(),
  madeAt: time,
  deliveredAt: time.nullable(),
  nextTryAt: time.nullable(),
  attempts: z.array(
    z.object({
      number: z.int(),
      at: time,
      durationMs: z.int(),
      status: z.int().nullable(),
      outcome: z.enum(deliveryOutcomes),
    }),
  ),
});

const delivering = ({ inOrganisation }: EndpointParts): GuardedRoute[] => [
  guarded({
    ...{ ...ofOne, method: 'post', path: `${path}/{id}/test` },
    summary: 'Send an event that is only to try it. It leaves within seconds.',
    answers: { 200: { description: 'Its ID', schema: z.object({ eventId: z.string() }) } },
    handle: async ({ who, id }) => {
      const eventId = await inOrganisation(who.organisationId, (tx) =>
        testEndpoint(tx, known(id), who.actor.id),
      );
      if (eventId === undefined) throw noEndpoint();
      return json(200, { eventId });
    },
  }),
  guarded({
    ...{ ...ofOne, method: 'get', path: `${path}/{id}/deliveries` },
    summary: 'What was sent there, and what came of each attempt, newest first.',
    query: z.object({
      undelivered: z.enum(['true', 'false']).optional(),
      before: time.optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    answers: {
      200: { description: 'Deliveries', schema: z.object({ items: z.array(deliverySchema) }) },
    },
    handle: async ({ who, id, query }) => {
      const found = await inOrganisation(who.organisationId, (tx) =>
        readDeliveries(tx, known(id), {
          undelivered: query.undelivered === 'true',
          before: query.before === undefined ? null : new Date(query.before),
          limit: query.limit,
        }),
      );
      if (found === undefined) throw noEndpoint();
      const items = found.map(({ madeAt, deliveredAt, dueAt, attempts, ...rest }) => ({
        ...rest,
        madeAt: madeAt.toISOString(),
        deliveredAt: text(deliveredAt),
        nextTryAt: deliveredAt === null ? dueAt.toISOString() : null,
        attempts: attempts.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() })),
      }));
      return json(200, { items });
    },
  }),
  guarded({
    ...{ ...ofOne, method: 'post', path: `${path}/{id}/redeliver` },
    summary: 'Send again: one event, delivered or not, or everything since a time that was not delivered.',
    body: z.union(
      [z.strictObject({ eventId: z.string().min(1).max(200) }), z.strictObject({ failedSince: time })],
      'must name an eventId, or a time as failedSince',
    ),
    answers: { 200: { description: 'How many', schema: z.object({ events: z.int() }) } },
    handle: async ({ who, id, body }) => {
      const what = 'eventId' in body ? body : { failedSince: new Date(body.failedSince) };
      const events = await inOrganisation(who.organisationId, (tx) =>
        redeliver(tx, known(id), what, who.actor.id),
      );
      if (events === undefined) throw noEndpoint();
      if (events === 0 && 'eventId' in what) {
        throw refuse('not-found', 'No such event was ever for this endpoint.', { final: true });
      }
      return json(200, { events });
    },
  }),
];

/** Where the organisation's events go, and what came of them. */
export const endpointRoutes = (parts: EndpointParts): GuardedRoute[] => [
  listing(parts),
  adding(parts),
  ...managing(parts),
  ...delivering(parts),
];
