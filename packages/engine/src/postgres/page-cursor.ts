/** Where a list goes on: the last item's time and ID, opaque to clients. */
export type PagePosition = { readonly at: Date; readonly id: string };

export const encodePosition = ({ at, id }: PagePosition): string =>
  Buffer.from(JSON.stringify([at.getTime(), id])).toString('base64url');

/** `undefined` for text that we did not write: the list then starts at its beginning. */
export const decodePosition = (text: string | undefined): PagePosition | undefined => {
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (!Array.isArray(parsed)) return undefined;
    const [atMs, id] = parsed as unknown[];
    return typeof atMs === 'number' && Number.isFinite(atMs) && typeof id === 'string'
      ? { at: new Date(atMs), id }
      : undefined;
  } catch {
    return undefined;
  }
};

export const defaultPageSize = 50;
export const pageSize = (limit: number | undefined): number =>
  Math.min(Math.max(1, Math.trunc(limit ?? defaultPageSize)), 500);

/** Text as a pattern that finds it anywhere, with what PostgreSQL takes for wildcards taken literally. */
export const anywhere = (text: string): string => `%${text.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
