import { type JournalFile, openJournal } from './ledger/journal-file.ts';
import type { JournalEntry } from './ledger/journal-entry.ts';
import { emptyLedger, fold, type Ledger } from './ledger/ledger.ts';
import { type Mint, mintRandom } from './mint.ts';

/** The edge that the decisions are handed their facts from: the ledger, the clock, new IDs, the disk. */
export interface World {
  readonly ledger: Ledger;
  readonly mint: Mint;
  /** The fake's own clock: the machine's, moved by what tests asked for. */
  nowMs(): number;
  /** Changes the ledger at once; resolves when the change is on the disk. No answer may leave before. */
  commit(entries: JournalEntry[]): Promise<void>;
  durable(): Promise<void>;
  whenChanged(listener: () => void): void;
  /** Keys of requests that have not finished, with their fingerprints. A restart ends them all. */
  readonly inFlight: Map<string, string>;
  /** When steady rate limits let calls through, by the ID of the armed limit. A restart begins a new second. */
  readonly passedLimits: Map<string, number[]>;
  /** Calls since this start, for tests that count how often somebody asks. */
  readonly calls: Map<string, number>;
  close(): Promise<void>;
}

export async function openWorld(dataFolder: string, onBroken: (problem: unknown) => void): Promise<World> {
  const ledger = emptyLedger();
  const replay = (entries: JournalEntry[]) => entries.forEach((entry) => fold(ledger, entry));
  const journal: JournalFile = await openJournal(dataFolder, replay, onBroken);
  const listeners: (() => void)[] = [];
  return {
    ledger,
    mint: mintRandom,
    nowMs: () => Date.now() + ledger.clockOffsetMs,
    commit(entries) {
      replay(entries);
      const stored = journal.append(entries);
      for (const listener of listeners) listener();
      return stored;
    },
    durable: () => journal.settled(),
    whenChanged: (listener) => listeners.push(listener),
    inFlight: new Map(),
    passedLimits: new Map(),
    calls: new Map(),
    close: () => journal.close(),
  };
}
