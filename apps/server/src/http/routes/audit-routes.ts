import { parseOperationId } from '@holdfast/operation';
import { auditOfOrigin } from '@holdfast/engine';
import {
  findAudit,
  isAuditCursor,
  readSealStatus,
  type AuditFilter,
  type InOrganisation,
} from '@holdfast/engine/postgres';
import { z } from 'zod';
import { exportedAudit } from '../../export/exported-audit.ts';
import { exportLines } from '../../export/export-lines.ts';
import { after, timeZone } from '../../export/export-query.ts';
import { exportResponse } from '../../export/export-response.ts';
import { zonedTime } from '../../export/zoned-time.ts';
import type { AccessStore } from '../../sign-in/access-store.ts';
import { badCursor } from '../problem.ts';
import { guarded, json, type GuardedRoute } from '../route.ts';

export type AuditParts = {
  readonly inOrganisation: InOrganisation;
  readonly store: Pick<AccessStore, 'recordAct'>;
  /** The public keys that may have signed seals, where this machine knows them. */
  readonly sealKeys: () => Promise<readonly string[] | null>;
};

const instant = z.iso.datetime({ offset: true, error: 'must be a time like 2026-01-31T00:00:00Z' });
const plain = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => !text.includes('\0'), 'must be plain text');
const filters = {
  who: plain(200).optional(),
  type: plain(60).optional(),
  operation: z
    .string()
    .refine((text) => parseOperationId(text) !== undefined, 'must be an operation’s ID')
    .optional(),
  order: plain(200).optional(),
  from: instant.optional(),
  to: instant.optional(),
};
const listQuery = z.object({
  ...filters,
  cursor: z.string().max(1_000).optional(),
  limit: z.coerce.number().int().min(1).max(500).optional(),
});
const exportQuery = z.object({
  ...filters,
  format: z.enum(['csv', 'ndjson', 'jsonl'], 'must be "csv" or "ndjson"').default('csv'),
  timeZone: timeZone.default('UTC'),
  after: after.optional(),
});
const sealsQuery = z.object({ limit: z.coerce.number().int().min(1).max(100).optional() });

type Filters = Omit<z.output<typeof listQuery>, 'cursor' | 'limit'>;

const filterOf = ({ operation, order, who, type, from, to }: Filters): AuditFilter => ({
  ...(who === undefined ? {} : { who }),
  ...(type === undefined ? {} : { type }),
  ...(operation === undefined ? {} : { operationId: parseOperationId(operation) ?? operation }),
  ...(order === undefined ? {} : { orderId: order }),
  ...(from === undefined ? {} : { from: new Date(from).toISOString() }),
  ...(to === undefined ? {} : { to: new Date(to).toISOString() }),
});

const pageOfExport = 500;

const exportRoute = ({ inOrganisation, store }: AuditParts): GuardedRoute =>
  guarded({
    method: 'get',
    path: '/v1/audit/export',
    summary:
      'The audit trail as CSV or as one JSON document a line, newest first, with the same filters. It goes on after the cursor of any line. Exporting is audited.',
    needs: ['operator', 'admin'],
    query: exportQuery,
    answers: { 200: { description: 'The entries, streamed', mediaType: 'text/csv' } },
    handle: async ({ who, query }) => {
      const { format, timeZone: zone, after: goesOnAfter, ...asked } = query;
      if (goesOnAfter !== undefined && !isAuditCursor(goesOnAfter)) throw badCursor();
      // Before the first byte: whoever takes the audit away is in it, also where the connection breaks.
      await store.recordAct(who.organisationId, {
        type: 'audit-exported',
        by: who.actor.id,
        subject: 'audit',
        // Only which filters there were: what people looked for may be a name.
        data: {
          format,
          filters: Object.keys(asked).sort(),
          ...(goesOnAfter === undefined ? {} : { goesOn: true }),
          ...auditOfOrigin(who.from),
        },
      });
      const filter = filterOf(asked);
      const lines = exportLines(
        exportedAudit,
        (cursor) =>
          inOrganisation(who.organisationId, (tx) =>
            findAudit(tx, { ...filter, ...(cursor === undefined ? {} : { cursor }), limit: pageOfExport }),
          ),
        { format, timeZone: zone, after: goesOnAfter },
        zonedTime,
      );
      return exportResponse(lines, { name: 'holdfast-audit', format });
    },
  });

export const auditRoutes = (parts: AuditParts): GuardedRoute[] => [
  guarded({
    method: 'get',
    path: '/v1/audit',
    summary: 'Who did what, when and from which device: newest first, of operations and of everything else.',
    needs: ['operator', 'admin'],
    query: listQuery,
    answers: { 200: { description: 'A page of entries, {items, nextCursor}' } },
    handle: async ({ who, query }) => {
      const { cursor, limit, ...asked } = query;
      if (cursor !== undefined && !isAuditCursor(cursor)) throw badCursor();
      const page = await parts.inOrganisation(who.organisationId, (tx) =>
        findAudit(tx, {
          ...filterOf(asked),
          ...(cursor === undefined ? {} : { cursor }),
          ...(limit === undefined ? {} : { limit }),
        }),
      );
      return json(200, page);
    },
  }),
  exportRoute(parts),
  guarded({
    method: 'get',
    path: '/v1/audit/seals',
    summary: 'The newest seals of the audit trail, to be kept elsewhere, and whether they hold.',
    needs: ['operator', 'admin'],
    query: sealsQuery,
    answers: { 200: { description: '{seals, newestHolds, verified}' } },
    handle: async ({ who, query }) => {
      const keys = await parts.sealKeys();
      const status = await parts.inOrganisation(who.organisationId, (tx) =>
        readSealStatus(tx, query.limit ?? 10, keys),
      );
      return json(200, status);
    },
  }),
];
