import { parseOperationId } from '@holdfast/operation';
import { csvMark, csvRow } from '@holdfast/operation/csv-safe';
import { auditOfOrigin, type Principal } from '@holdfast/engine';
import {
  findAudit,
  isAuditCursor,
  readSealStatus,
  type AuditFilter,
  type AuditItem,
  type InOrganisation,
} from '@holdfast/engine/postgres';
import { z } from 'zod';
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
  format: z.enum(['csv', 'jsonl'], 'must be "csv" or "jsonl"').default('csv'),
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

const headings = [
  'time',
  'what',
  'who',
  'who (ID)',
  'operation',
  'order',
  'state',
  'about',
  'number',
  'details',
  'hash',
];

const asCsv = (item: AuditItem): string =>
  csvRow([
    item.at,
    item.type,
    item.by?.name ?? null,
    item.by?.id ?? null,
    item.operationId,
    item.orderId,
    item.state,
    item.chain,
    item.sequence,
    JSON.stringify(item.data),
    item.hash,
  ]);

const pageOfExport = 500;

/** One page after another, each read when the one before it has been taken: memory does not grow with the export. */
const streamed = (
  inOrganisation: InOrganisation,
  who: Principal,
  filter: AuditFilter,
  format: 'csv' | 'jsonl',
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  let cursor: string | null | undefined;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const first = cursor === undefined;
      const next = typeof cursor === 'string' ? { cursor } : {};
      const page = await inOrganisation(who.organisationId, (tx) =>
        findAudit(tx, { ...filter, ...next, limit: pageOfExport }),
      );
      const heading = first && format === 'csv' ? csvMark + csvRow(headings) : '';
      const lines = page.items.map((item) => (format === 'csv' ? asCsv(item) : `${JSON.stringify(item)}\n`));
      const text = heading + lines.join('');
      if (text !== '') controller.enqueue(encoder.encode(text));
      cursor = page.nextCursor;
      if (cursor === null) controller.close();
    },
  });
};

const exportRoute = ({ inOrganisation, store }: AuditParts): GuardedRoute =>
  guarded({
    method: 'get',
    path: '/v1/audit/export',
    summary:
      'The audit trail as CSV or JSON lines, newest first, with the same filters. Exporting is audited.',
    needs: ['operator', 'admin'],
    query: exportQuery,
    answers: { 200: { description: 'The entries, streamed', mediaType: 'text/csv' } },
    handle: async ({ who, query }) => {
      const { format, ...asked } = query;
      // Before the first byte: whoever takes the audit away is in it, also where the connection breaks.
      await store.recordAct(who.organisationId, {
        type: 'audit-exported',
        by: who.actor.id,
        subject: 'audit',
        // Only which filters there were: what people looked for may be a name.
        data: { format, filters: Object.keys(asked).sort(), ...auditOfOrigin(who.from) },
      });
      const file = `holdfast-audit.${format}`;
      return new Response(streamed(inOrganisation, who, filterOf(asked), format), {
        headers: {
          'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl; charset=utf-8',
          'content-disposition': `attachment; filename="${file}"`,
          'cache-control': 'no-store',
        },
      });
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
