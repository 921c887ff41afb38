import { sweepFindingKinds, sweepPhases, sweepStates, type ProviderDirectory } from '@holdfast/engine';
import {
  isSweepCursor,
  listSweeps,
  nextSweepAt,
  readFindings,
  readSweep,
  requestSweep,
  type InOrganisation,
} from '@holdfast/engine/postgres';
import { amountSchema, figureSchema } from '@holdfast/operation';
import { z } from 'zod';
import { csvMark, csvRows } from '../../export/csv-rows.ts';
import { exportResponse } from '../../export/export-response.ts';
import { timeZone } from '../../export/export-query.ts';
import { zonedTime } from '../../export/zoned-time.ts';
import type { Identity } from '../../sign-in/identify.ts';
import { allFindings } from '../../sweep/all-findings.ts';
import { findingHeadings, findingRow } from '../../sweep/finding-rows.ts';
import { badCursor, refuse } from '../problem.ts';
import { guarded, json, type GuardedRoute } from '../route.ts';

export type SweepParts = {
  readonly inOrganisation: InOrganisation;
  readonly accountOf: ProviderDirectory['accountOf'];
  /** The pause between sweeps by the schedule; `null`: there is none. */
  readonly everyMs: number | null;
};

const time = z.iso.datetime();
const sweepSchema = z.object({
  id: z.string(),
  state: z.enum(sweepStates),
  accountId: z.string(),
  askedBy: z.object({ id: z.string(), name: z.string() }),
  askedAt: time,
  since: time,
  until: time.nullable(),
  phase: z.enum(sweepPhases),
  refundsRead: z.int(),
  operationsRead: z.int(),
  eventsRead: z.int(),
  eventsFetched: z.int(),
  found: z.int(),
  startedAt: time.nullable(),
  progressAt: time.nullable(),
  endedAt: time.nullable(),
  worker: z.string().nullable(),
  because: z.string().nullable(),
  keyRefused: z.boolean(),
  cutOff: z.boolean(),
});
const findingSchema = z.object({
  kind: z.enum(sweepFindingKinds),
  operationId: z.string().nullable(),
  reference: z.string(),
  paymentReference: z.string(),
  amount: z.union([amountSchema, figureSchema]),
  ours: z.union([amountSchema, figureSchema]).nullable(),
  foundAt: time,
  firstFoundAt: time,
});
const listSchema = z.object({
  items: z.array(sweepSchema),
  nextCursor: z.string().nullable(),
  everyMs: z.int().nullable(),
  nextAt: time.nullable(),
});

const hourMs = 3_600_000;
const longestHours = 366 * 24;

const listQuery = z.object({
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(100).optional(),
});

const list = ({ inOrganisation, accountOf, everyMs }: SweepParts): GuardedRoute =>
  guarded({
    method: 'get',
    path: '/v1/sweeps',
    summary:
      'Comparisons of the provider’s ledger with ours: the newest first, and when the next one is due.',
    needs: ['operator', 'admin'],
    query: listQuery,
    answers: { 200: { description: 'A page of sweeps', schema: listSchema } },
    handle: async ({ who, query: { cursor, limit } }) => {
      if (cursor !== undefined && !isSweepCursor(cursor)) throw badCursor();
      const account = accountOf(who.organisationId);
      return json(
        200,
        await inOrganisation(who.organisationId, async (tx) => ({
          ...(await listSweeps(tx, {
            ...(cursor === undefined ? {} : { cursor }),
            ...(limit === undefined ? {} : { limit }),
          })),
          everyMs,
          nextAt: everyMs === null || account === undefined ? null : await nextSweepAt(tx, account),
        })),
      );
    },
  });

const forbidsAssistants = ({ principal: { actor } }: Identity): string | undefined =>
  actor.assistant ? 'An assistant may not begin a sweep.' : undefined;

const ask = ({ inOrganisation, accountOf }: SweepParts): GuardedRoute =>
  guarded({
    method: 'post',
    path: '/v1/sweeps',
    summary: 'Ask for a sweep. What waits or is under way already is the answer: it is not begun twice.',
    needs: ['operator', 'admin'],
    body: z.object({ hours: z.int().min(1).max(longestHours).default(24) }),
    forbids: forbidsAssistants,
    answers: {
      200: { description: 'One waits or is under way already', schema: sweepSchema },
      201: { description: 'Asked for; a worker begins it', schema: sweepSchema },
    },
    handle: async ({ who, body: { hours } }) => {
      const account = accountOf(who.organisationId);
      if (account === undefined) {
        throw refuse(
          'not-found',
          'The organisation has no provider account, so there is nothing to compare.',
        );
      }
      const answer = await inOrganisation(who.organisationId, (tx) =>
        requestSweep(tx, account, { askedBy: who.actor.id, sinceAgoMs: hours * hourMs }),
      );
      if (answer === null) {
        throw refuse('not-found', 'The key is not of this organisation’s account, so nothing is compared.');
      }
      return json(answer.asked ? 201 : 200, answer.sweep);
    },
  });

const noSweep = () => refuse('not-found', 'There is no sweep of this ID.');
const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

const findings = ({ inOrganisation }: SweepParts): GuardedRoute =>
  guarded({
    method: 'get',
    path: '/v1/sweeps/{id}/findings',
    summary: 'What a sweep found, a page after another.',
    needs: ['operator', 'admin'],
    pathId: 'outside',
    query: z.object({
      cursor: z.string().max(500).optional(),
      limit: z.coerce.number().int().min(1).max(500).optional(),
    }),
    answers: {
      200: {
        description: 'The sweep, and a page of its findings',
        schema: z.object({
          sweep: sweepSchema,
          items: z.array(findingSchema),
          nextCursor: z.string().nullable(),
        }),
      },
    },
    handle: async ({ who, id, query: { cursor = null, limit = 100 } }) => {
      if (!isUuid(id)) throw noSweep();
      const found = await inOrganisation(who.organisationId, async (tx) => {
        const sweep = await readSweep(tx, id);
        return sweep === null ? null : { sweep, ...(await readFindings(tx, id, cursor, limit)) };
      });
      if (found === null) throw noSweep();
      return json(200, found);
    },
  });

const exported = ({ inOrganisation }: SweepParts): GuardedRoute =>
  guarded({
    method: 'get',
    path: '/v1/sweeps/{id}/export',
    summary: 'Everything a sweep found, as CSV or as one JSON document a line, streamed.',
    needs: ['operator', 'admin'],
    pathId: 'outside',
    query: z.object({
      format: z.enum(['csv', 'ndjson'], 'must be "csv" or "ndjson"').default('csv'),
      timeZone: timeZone.default('UTC'),
    }),
    answers: { 200: { description: 'The findings, streamed', mediaType: 'text/csv' } },
    handle: async ({ who, id, query: { format, timeZone: zone } }) => {
      const known = isUuid(id) ? await inOrganisation(who.organisationId, (tx) => readSweep(tx, id)) : null;
      if (known === null) throw noSweep();
      const at = zonedTime(zone);
      async function* lines(): AsyncGenerator<string> {
        if (format === 'csv') yield csvMark + csvRows([findingHeadings(zone)]);
        for await (const page of allFindings({
          inOrganisation,
          organisationId: who.organisationId,
          sweepId: id,
        })) {
          yield format === 'csv'
            ? csvRows(page.map((one) => findingRow(one, at)))
            : page.map((one) => `${JSON.stringify(one)}\n`).join('');
        }
      }
      return exportResponse(lines(), { name: 'holdfast-sweep', format });
    },
  });

export const sweepRoutes = (parts: SweepParts): GuardedRoute[] => [
  list(parts),
  ask(parts),
  findings(parts),
  exported(parts),
];
