import type { Engine } from '@holdfast/engine';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { z } from 'zod';
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

export const systemRoutes = (engine: Engine, readiness: Readiness): Route[] => {
  const registry = processMetrics();
  return [webhookRoute(engine, registry), ...health(readiness), metrics(registry)];
};
