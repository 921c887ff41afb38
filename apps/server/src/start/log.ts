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

/**
 * What a program may say of an error without repeating what people wrote: the database's own words hold rows and values
 * (a trigger's, a cast's), a failed query's its parameters, and a parser's quote what they could not read.
 */
const loggableMessage = (error: Error): string => {
  if (error.message.startsWith('Failed query')) return 'a query failed';
  if ('severity' in error) return 'the database refused it';
  return error.message
    .replaceAll(/"[^"]*"?/g, '"…"')
    .replaceAll(/[^\s@<>]+@[^\s@<>]+/g, '…@…')
    .slice(0, 300);
};

/** Where it happened. The stack begins with the message, whose lines are not places. */
const placesIn = (error: Error): string[] => {
  const stack = error.stack ?? '';
  const messageAt = stack.indexOf(error.message);
  const places = messageAt < 0 ? stack : stack.slice(messageAt + error.message.length);
  return places
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '));
};

/** What of an error may be logged. A database's error also holds the row's values and parameters: those stay out. */
export const loggableError = (error: unknown): Record<string, unknown> => {
  if (!(error instanceof Error)) return { kind: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const constraint =
    'constraint_name' in error && typeof error.constraint_name === 'string'
      ? { constraint: error.constraint_name }
      : {};
  const cause = error.cause === undefined ? {} : { cause: loggableError(error.cause) };
  const message = loggableMessage(error);
  return { kind: error.name, message, ...code, ...constraint, at: placesIn(error).slice(0, 8), ...cause };
};

/** What the worker tells of: IDs and words of its own, and errors as they were thrown. */
export const loggableFields = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, name === 'error' ? loggableError(value) : value]),
  );
