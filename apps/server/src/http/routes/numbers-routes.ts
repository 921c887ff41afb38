import {
  figures,
  mostNumberDays,
  numbersSchema,
  operationSchema,
  pendingTimesSchema,
} from '@holdfast/operation';
import type { BehindFigure, OperationFilter } from '@holdfast/engine';
import { isPageCursor } from '@holdfast/engine/postgres';
import { z } from 'zod';
import { badCursor, refuse } from '../problem.ts';
import { guarded, json, type GuardedRoute } from '../route.ts';

/** Named zones alone: "+01:00" means one thing to a browser and the other way round to PostgreSQL. */
const isZone = (zone: string): boolean => {
  if (!/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(zone)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};
const zoneRule = 'must be a time zone like "Europe/Berlin"';

const numbersQuery = z.object({
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(mostNumberDays, `must be from 1 to ${String(mostNumberDays)}`)
    .default(30),
  zone: z.string().max(64).refine(isZone, zoneRule).default('UTC'),
});

const instant = z.iso.datetime({ offset: true, error: 'must be a time like 2026-01-31T00:00:00Z' });
const seconds = z.coerce.number().int().min(0).max(1_000_000_000).optional();
const behindQuery = z.object({
  figure: z.enum(figures, `must be one of ${figures.join(', ')}`),
  label: z
    .string()
    .max(60)
    .regex(/^[\w-]+$/, 'must be a word')
    .optional(),
  from: instant.optional(),
  until: instant.optional(),
  oldestFromSeconds: seconds,
  oldestBelowSeconds: seconds,
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});

const given = <Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

const numbers = guarded({
  method: 'get',
  path: '/v1/numbers',
  summary:
    'What the organisation looks like in figures: the totals of /metrics, and the last days of the time zone named.',
  needs: ['operator'],
  query: numbersQuery,
  answers: { 200: { description: 'The figures', schema: numbersSchema } },
  handle: async ({ engine, who, query }) => {
    const found = await engine.numbers(who.organisationId, query);
    if (found !== null) return json(200, found);
    throw refuse('invalid', `zone ${zoneRule}; the database knows none of that name.`);
  },
});

const behind = guarded({
  method: 'get',
  path: '/v1/numbers/operations',
  summary: 'The operations behind a figure, newest first.',
  needs: ['operator'],
  query: behindQuery,
  answers: {
    200: {
      description: 'A page of operations',
      schema: z.object({ items: z.array(operationSchema), nextCursor: z.string().nullable() }),
    },
  },
  handle: async ({ engine, who, query }) => {
    const { cursor, limit, ...figure } = query;
    if (cursor !== undefined && !isPageCursor(cursor, 'operations')) throw badCursor();
    const asked: BehindFigure = given(figure);
    const filter: OperationFilter = given({ behind: asked, cursor, limit });
    return json(200, await engine.listOperations(who, filter));
  },
});

const pendingTimes = guarded({
  method: 'get',
  path: '/v1/pending-times',
  summary:
    'How long the provider usually takes over what it has accepted: in general, and by this organisation’s own past where there is enough of it.',
  needs: 'any',
  answers: { 200: { description: 'One a provider; none without an account', schema: pendingTimesSchema } },
  handle: async ({ engine, who }) => json(200, await engine.pendingTimes(who.organisationId)),
});

export const numbersRoutes: readonly GuardedRoute[] = [numbers, behind, pendingTimes];
