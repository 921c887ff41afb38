import { fingerprintOf } from '@holdfast/operation';
import type { OperationRow } from './schema.ts';

/** The fingerprint of what the row says would be done, had it been proposed for that account; `null` for a bare ID. */
export const fingerprintOfRow = (row: OperationRow, providerAccountId: string | null): string | null => {
  const { paymentReference, customerId, orderId, amountMinor, currency, reason } = row;
  if (paymentReference === null || customerId === null || orderId === null) return null;
  if (amountMinor === null || currency === null || reason === null) return null;
  return fingerprintOf({
    kind: row.kind,
    organisationId: row.organisationId,
    providerAccountId,
    paymentReference,
    customerId,
    orderId,
    lines: row.lines,
    returnId: row.returnId,
    amount: amountMinor,
    currency,
    reason,
  });
};
