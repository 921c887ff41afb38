import { auditOfOrigin, type OperationFilter } from '@holdfast/engine';
import { isPageCursor } from '@holdfast/engine/postgres';
import { z } from 'zod';
import { exportedOperations } from '../../export/exported-operations.ts';
import { exportLines } from '../../export/export-lines.ts';
import { after, timeZone } from '../../export/export-query.ts';
import { exportResponse } from '../../export/export-response.ts';
import { zonedTime } from '../../export/zoned-time.ts';
import { badCursor } from '../problem.ts';
import { guarded, type GuardedRoute } from '../route.ts';
import type { AuditParts } from './audit-routes.ts';
import { given, operationFilters } from './operation-routes.ts';

const instant = z.iso.datetime({ offset: true, error: 'must be a time like 2026-01-31T00:00:00Z' });
const query = z.object({
  ...operationFilters,
  from: instant.optional(),
  to: instant.optional(),
  format: z.enum(['csv', 'ndjson'], 'must be "csv" or "ndjson"').default('csv'),
  timeZone: timeZone.default('UTC'),
  after: after.optional(),
});

const pageOfExport = 500;

export const operationExportRoutes = ({ store }: Pick<AuditParts, 'store'>): GuardedRoute[] => [
  guarded({
    method: 'get',
    path: '/v1/operations/export',
    summary:
      'Operations as CSV or as one JSON document a line, newest first, with the filters of the list. It goes on after the cursor of any line. Exporting is audited.',
    needs: ['operator', 'admin'],
    query,
    answers: { 200: { description: 'The operations, streamed', mediaType: 'text/csv' } },
    handle: async ({ who, engine, query: { format, timeZone: zone, after: goesOnAfter, ...asked } }) => {
      if (goesOnAfter !== undefined && !isPageCursor(goesOnAfter, 'operations')) throw badCursor();
      const { state, q, ...rest } = asked;
      const filter: OperationFilter = given({ ...rest, states: state, text: q });
      // Before the first byte: whoever takes them away is in the audit, also where the connection breaks.
      await store.recordAct(who.organisationId, {
        type: 'operations-exported',
        by: who.actor.id,
        subject: 'organisation',
        // Only which filters there were: what people looked for may be a name.
        data: {
          format,
          filters: Object.keys(given(asked)).sort(),
          ...(goesOnAfter === undefined ? {} : { goesOn: true }),
          ...auditOfOrigin(who.from),
        },
      });
      const lines = exportLines(
        exportedOperations,
        (cursor) => engine.listOperations(who, { ...filter, ...given({ cursor }), limit: pageOfExport }),
        { format, timeZone: zone, after: goesOnAfter },
        zonedTime,
      );
      return exportResponse(lines, { name: 'holdfast-operations', format });
    },
  }),
];
