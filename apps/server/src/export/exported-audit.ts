import { cursorOfAudit, type AuditItem } from '@holdfast/engine/postgres';
import type { Exportable } from './export-lines.ts';

export const exportedAudit: Exportable<AuditItem> = {
  headings: (timeZone) => [
    `time (${timeZone})`,
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
  ],
  row: (item, at) => [
    at(item.at),
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
  ],
  object: (item, at) => ({ ...item, at: at(item.at) }),
  cursorOf: cursorOfAudit,
};
