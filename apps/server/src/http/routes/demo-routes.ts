import { z } from 'zod';
import type { DemoCases } from '../../demo/demo-cases.ts';
import { refuse } from '../problem.ts';
import { guarded, json, type GuardedRoute } from '../route.ts';

/** What only the demo has, beside its sign-ins. */
export const demoRoutes = (cases: DemoCases | undefined): readonly GuardedRoute[] => [
  guarded({
    method: 'post',
    path: '/v1/demo/cases',
    summary: 'Make three uncertain refunds to settle. 404 when the demo is off.',
    needs: ['operator'],
    answers: {
      202: { description: 'They come within a minute', schema: z.object({ begun: z.boolean() }) },
    },
    handle: () => {
      if (cases === undefined) throw refuse('not-found', 'The demo is off.');
      return Promise.resolve(json(202, { begun: cases.prepare() }));
    },
  }),
];
