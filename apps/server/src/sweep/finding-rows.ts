import type { KeptFinding } from '@holdfast/engine';
import { minorUnitDigits, type Amount } from '@holdfast/operation';
import type { CsvCell } from '@holdfast/operation/csv-safe';
import type { zonedTime } from '../export/zoned-time.ts';

/** "49.99"; a currency of the provider's that we do not know in its minor units. */
export const majorText = ({ minor, currency }: Amount): string => {
  const digits = minorUnitDigits(currency);
  if (digits === undefined || digits === 0) return String(minor);
  const text = String(Math.abs(minor)).padStart(digits + 1, '0');
  return `${minor < 0 ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}`;
};

export const findingHeadings = (timeZone: string): readonly string[] => [
  'kind',
  'refund',
  'payment',
  'operation',
  'currency',
  'amount',
  'amount_here',
  `found_at (${timeZone})`,
  `first_found_at (${timeZone})`,
];

/** One row of the report, in the order of its headings. */
export const findingRow = (finding: KeptFinding, at: ReturnType<typeof zonedTime>): readonly CsvCell[] => [
  finding.kind,
  finding.reference,
  finding.paymentReference,
  finding.operationId,
  finding.amount.currency,
  majorText(finding.amount),
  finding.ours === null ? null : majorText(finding.ours),
  at(finding.foundAt),
  at(finding.firstFoundAt),
];
