import type { Row } from './csv-file.ts';

/** What is wrong with cells, each with its column and why. Caught where a row is taken, so that one bad row stops no other. */
export class BadCell extends Error {
  readonly faults: readonly string[];

  constructor(...faults: readonly string[]) {
    super(faults.join('; '));
    this.faults = faults;
  }
}

/**
 * Reads every part of a row, so that all that is wrong with it is told at once.
 * @throws BadCell with the faults of all parts, each once
 */
export const every = <Parts extends Readonly<Record<string, unknown>>>(parts: {
  readonly [Name in keyof Parts]: () => Parts[Name];
}): Parts => {
  const faults = new Set<string>();
  const read: Partial<Parts> = {};
  for (const name of Object.keys(parts) as (keyof Parts)[]) {
    try {
      read[name] = parts[name]();
    } catch (error) {
      if (!(error instanceof BadCell)) throw error;
      for (const fault of error.faults) faults.add(fault);
    }
  }
  if (faults.size > 0) throw new BadCell(...faults);
  return read as Parts;
};

export const required = (row: Row, column: string): string => {
  const text = row.cells[column] ?? '';
  if (text === '') throw new BadCell(`${column} is empty`);
  return text;
};

export const optional = (row: Row, column: string): string | undefined => {
  const text = row.cells[column] ?? '';
  return text === '' ? undefined : text;
};

const isoTime = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** ISO 8601 as UTC. A date alone is its midnight, a time without a zone is UTC: never this machine's zone. */
export const timeIn = (text: string, column: string): string => {
  const bad = new BadCell(`${column} "${text}" is not an ISO 8601 time like 2026-03-14T09:26:53Z`);
  if (!isoTime.test(text)) throw bad;
  const zoned = /T|\s/.test(text) && !/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? `${text}Z` : text;
  const time = new Date(zoned.replace(' ', 'T'));
  if (Number.isNaN(time.getTime())) throw bad;
  // The engine would take 31 February for 3 March.
  const [day] = text.split(/[T ]/);
  const shownDay = new Date(`${day ?? ''}T00:00:00Z`);
  if (Number.isNaN(shownDay.getTime()) || shownDay.toISOString().slice(0, 10) !== day) throw bad;
  return time.toISOString();
};

/** Runs `work`; a bad cell becomes the reason why the row is not taken. */
export const reasonOf = (work: () => void): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof BadCell) return error.message;
    throw error;
  }
};
