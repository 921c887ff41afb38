import { pino, type Logger } from 'pino';
import type { Settings } from '../settings/settings.ts';

export type { Logger };

/** JSON lines on standard output. Errors carry their kind and place, never a request's contents. */
export const makeLog = (level: Settings['logLevel']): Logger =>
  pino({
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    // Belt and braces: nothing of this kind is logged on purpose.
    redact: ['*.password', '*.token', '*.secretKey', '*.authorization', '*.cookie'],
  });

/** What of an error may be logged. A database's error also holds the row's values and parameters: those stay out. */
export const loggableError = (error: unknown): Record<string, unknown> => {
  if (!(error instanceof Error)) return { kind: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const stack = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  // A failed query's message repeats its text and values.
  const message = error.message.startsWith('Failed query') ? 'a query failed' : error.message.slice(0, 300);
  const cause = error.cause === undefined ? {} : { cause: loggableError(error.cause) };
  return { kind: error.name, message, ...code, at: stack.slice(0, 8).map((line) => line.trim()), ...cause };
};

/** A failed query's text goes with the values that were in it, which may be personal: so all of it stays out. */
const withoutQuery = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('Failed query') ? 'Error: a query failed' : value;

export const loggableFields = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, withoutQuery(value)]));
