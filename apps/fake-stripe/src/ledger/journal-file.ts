import { mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalEntry } from './journal-entry.ts';

export interface JournalFile {
  /** Resolves once these entries, and all before them, are on the disk. */
  append(entries: JournalEntry[]): Promise<void>;
  /** Resolves once everything appended so far is on the disk. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export const journalName = 'journal.jsonl';

/**
 * A kill can leave half a line at the end: nobody was answered for it, so it is cut off. A line that cannot be
 * read anywhere else means that the file was damaged or edited, and then we do not guess.
 */
export function readJournal(text: string): { lines: JournalEntry[][]; completeBytes: number } {
  const end = text.lastIndexOf('\n') + 1;
  const complete = text.slice(0, end);
  const lines = complete
    .split('\n')
    .filter((line) => line !== '')
    .map((line, position) => {
      try {
        return JSON.parse(line) as JournalEntry[];
      } catch {
        throw new Error(`${journalName}, line ${position + 1}: not JSON. Restore the file or remove it.`);
      }
    });
  return { lines, completeBytes: Buffer.byteLength(complete) };
}

export async function openJournal(
  folder: string,
  onStored: (entries: JournalEntry[]) => void,
  onBroken: (problem: unknown) => void,
): Promise<JournalFile> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, journalName);
  const handle = await open(path, 'a');
  const { lines, completeBytes } = readJournal(readFileSync(path, 'utf8'));
  truncateSync(path, completeBytes);
  for (const entries of lines) onStored(entries);

  let waiting: string[] = [];
  let tail: Promise<void> = Promise.resolve();
  let queued = false;
  let closing = false;

  /** Lines that come in while the disk is busy share the next write and sync. */
  async function writeWaiting(): Promise<void> {
    queued = false;
    const text = waiting.join('');
    waiting = [];
    await handle.appendFile(text);
    await handle.datasync();
  }

  return {
    append(entries) {
      // A webhook may still be under way when the program stops. It will be sent again; that is what its log is for.
      if (closing) return tail;
      waiting.push(`${JSON.stringify(entries)}\n`);
      if (!queued) {
        queued = true;
        tail = tail.then(writeWaiting);
        tail.catch(onBroken);
      }
      return tail;
    },
    settled: () => tail,
    async close() {
      closing = true;
      await tail;
      await handle.close();
    },
  };
}
