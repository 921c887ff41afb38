import type { Engine } from '@holdfast/engine';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { z } from 'zod';
import type { AccessStore } from '../../sign-in/access-store.ts';
import { metricsText } from '../metrics-text.ts';
import { problemOf, problemResponse } from '../problem.ts';
import { guarded, json, type Route } from '../route.ts';
import { webhookRoute } from './webhook-route.ts';

export type Readiness = () => Promise<
  { readonly ready: true } | { readonly ready: false; readonly because: string }
>;

const health = (readiness: Readiness): Route[] => [
  {
    method: 'get',
    path: '/healthz',
    summary: 'Alive.',
    needs: 'nobody',
    maximumBytes: 0,
    answers: { 200: { description: 'Alive', schema: z.object({ alive: z.literal(true) }) } },
    handle: () => Promise.resolve(json(200, { alive: true })),
  },
  {
    method: 'get',
    path: '/readyz',
    summary: 'Database and migrations are fine.',
    needs: 'nobody',
    maximumBytes: 0,
    answers: { 200: { description: 'Ready', schema: z.object({ ready: z.literal(true) }) } },
    handle: async () => {
      const state = await readiness();
      if (state.ready) return json(200, { ready: true });
      return problemResponse(problemOf('unavailable', state.because), { 'retry-after': '2' });
    },
  },
];

const processMetrics = (): Registry => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
};

const metrics = (registry: Registry): Route =>
  guarded({
    method: 'get',
    path: '/metrics',
    summary: "The caller's organisation in numbers, as Prometheus text.",
    needs: ['operator'],
    answers: { 200: { description: 'Metrics', schema: z.string(), mediaType: 'text/plain' } },
    handle: async ({ engine, who }) => {
      const text = metricsText(await engine.metrics(who.organisationId)) + (await registry.metrics());
      return new Response(text, {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
      });
    },
  });

const meSchema = z.object({
  subject: z.string(),
  name: z.string(),
  role: z.string(),
  assistant: z.boolean(),
  organisation: z.object({ id: z.string(), name: z.string() }),
  via: z.string(),
});

const me = (store: Pick<AccessStore, 'organisationName'>): Route =>
  guarded({
    method: 'get',
    path: '/v1/me',
    summary: 'Who you are here.',
    needs: 'any',
    answers: { 200: { description: 'The signed-in person or key', schema: meSchema } },
    handle: async ({ who }) =>
      json(200, {
        subject: who.actor.id,
        name: who.actor.name,
        role: who.actor.role,
        assistant: who.actor.assistant,
        organisation: { id: who.organisationId, name: await store.organisationName(who.organisationId) },
        via: who.actor.via,
      }),
  });

export const systemRoutes = (
  engine: Engine,
  store: Pick<AccessStore, 'organisationName'>,
  readiness: Readiness,
): Route[] => {
  const registry = processMetrics();
  return [webhookRoute(engine, registry), ...health(readiness), metrics(registry), me(store)];
};
