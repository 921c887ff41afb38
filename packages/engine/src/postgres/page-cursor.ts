import { parseOperationId } from '@holdfast/operation';

/** Where a list goes on: the last item's time and ID, opaque to clients. */
export type PagePosition = { readonly at: Date; readonly id: string };

export const encodePosition = ({ at, id }: PagePosition): string =>
  Buffer.from(JSON.stringify([at.getTime(), id])).toString('base64url');

/** The earliest and the latest time that a date of ours can hold. */
const furthestMs = 8.64e15;

/** `undefined` for text that we did not write. */
export const decodePosition = (text: string | undefined): PagePosition | undefined => {
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (!Array.isArray(parsed)) return undefined;
    const [atMs, id] = parsed as unknown[];
    return typeof atMs === 'number' &&
      Number.isInteger(atMs) &&
      Math.abs(atMs) <= furthestMs &&
      typeof id === 'string' &&
      !id.includes('\0')
      ? { at: new Date(atMs), id }
      : undefined;
  } catch {
    return undefined;
  }
};

/** Whether a list can go on from this text. `of`: operations are listed by UUIDs, orders and tickets by IDs from outside. */
export const isPageCursor = (text: string, of: 'operations' | 'catalogue'): boolean => {
  const position = decodePosition(text);
  if (position === undefined) return false;
  return of === 'catalogue' || parseOperationId(position.id) !== undefined;
};

/** Where a list of operations goes on after this one. */
export const cursorOfOperation = ({
  id,
  createdAt,
}: {
  readonly id: string;
  readonly createdAt: string;
}): string => encodePosition({ at: new Date(createdAt), id });

export const defaultPageSize = 50;
export const pageSize = (limit: number | undefined): number =>
  Math.min(Math.max(1, Math.trunc(limit ?? defaultPageSize)), 500);

/** Text as a pattern that finds it anywhere, with what PostgreSQL takes for wildcards taken literally. */
export const anywhere = (text: string): string => `%${text.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
