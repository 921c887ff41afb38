import { open, type FileHandle } from 'node:fs/promises';

/** An export that is being written to a file. */
export type KeptFile = {
  readonly handle: FileHandle;
  /** The cursor of its last whole line, where it was begun before. */
  readonly after: string | undefined;
};

/** Longer than any line; a line that is longer still is written again. */
const tailBytes = 4 * 1024 * 1024;

/** The last line that is whole: its cursor, and where it ends in the text. */
const lastLineIn = (text: string, format: 'csv' | 'ndjson'): { cursor: string; end: number } | undefined => {
  if (format === 'csv') {
    // A quote within a cell is doubled, so this stands at the end of a row alone.
    const found = [...text.matchAll(/,"([A-Za-z0-9_-]+)"\r\n/gu)].at(-1);
    return found === undefined ? undefined : { cursor: found[1] ?? '', end: found.index + found[0].length };
  }
  const end = text.lastIndexOf('\n') + 1;
  const line = text.slice(text.lastIndexOf('\n', end - 2) + 1, end);
  try {
    const { cursor } = JSON.parse(line) as { readonly cursor?: unknown };
    return typeof cursor === 'string' ? { cursor, end } : undefined;
  } catch {
    return undefined;
  }
};

/** A new file of that name. @throws an error with `code` `EEXIST` where there is one: nothing is written over */
export const newFile = async (file: string): Promise<KeptFile> => ({
  handle: await open(file, 'wx', 0o600),
  after: undefined,
});

/**
 * A file that an export broke off in: what came of its last line is cut off, and it goes on after the one before.
 * @returns `undefined` where no line of ours is whole in it, and nothing was changed
 */
export const brokenOffFile = async (
  file: string,
  format: 'csv' | 'ndjson',
): Promise<KeptFile | undefined> => {
  const handle = await open(file, 'r+');
  const { size } = await handle.stat();
  const from = Math.max(0, size - tailBytes);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
  // One byte a character: places in the text are places in the file.
  const text = buffer.subarray(0, bytesRead).toString('latin1');
  const last = lastLineIn(text, format);
  if (last === undefined) {
    await handle.close();
    return undefined;
  }
  await handle.truncate(from + last.end);
  return { handle, after: last.cursor };
};
