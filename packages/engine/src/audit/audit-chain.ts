import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Details of an audit entry: IDs, closed words, numbers and hashes. Never names, never free text. */
export type AuditData = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** One entry as it is hashed. `at` is ISO 8601 UTC. */
export type AuditEntry = {
  readonly organisationId: string;
  readonly operationId: string;
  readonly sequence: number;
  readonly at: string;
  readonly type: string;
  readonly actorId: string | null;
  readonly commandId: string | null;
  readonly state: string;
  readonly version: number;
  readonly data: AuditData;
};

/** An entry that is not about one operation, as it is hashed: chained per subject ("policy", "member 0198…"). */
export type OrganisationAuditEntry = {
  readonly organisationId: string;
  readonly subject: string;
  readonly sequence: number;
  readonly at: string;
  readonly type: string;
  readonly actorId: string | null;
  readonly data: AuditData;
};

/** What the first entry of a chain is chained to. */
export const chainStart = '0'.repeat(64);

/** RFC 8785 for what we hash: keys sorted, no space. */
export const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
  }
  return JSON.stringify(value);
};

/** The hash that ties an entry to the one before it: whoever changes an old entry has to change all after it. */
export const chainHash = (previousHash: string, entry: AuditEntry | OrganisationAuditEntry): string =>
  bytesToHex(sha256(utf8ToBytes(`${previousHash}\n${canonical(entry)}`)));

/** SHA-256 of text that people typed, so that the audit can prove it without holding it. */
export const hashOfText = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

export type ChainFault = {
  /** Null where it is about another chain than an operation's, or about the seals. */
  readonly operationId: string | null;
  /** The chain: "operation 0198…", "member 0198…", "policy", or "seals". */
  readonly chain: string;
  /** The entry's place in its chain, or the seal's number. */
  readonly sequence: number;
  readonly because: string;
};

type Hashed = { readonly previousHash: string; readonly hash: string };

export const chainOfOperation = (operationId: string): string => `operation ${operationId}`;

/** Checks one chain's entries, in order of sequence. An empty list means that nothing in it was tampered with. */
export const faultsOfChain = (
  entries: readonly ((AuditEntry & Hashed) | (OrganisationAuditEntry & Hashed))[],
): readonly ChainFault[] => {
  const faults: ChainFault[] = [];
  let previousHash = chainStart;
  entries.forEach((stored, index) => {
    const { previousHash: storedPrevious, hash, ...entry } = stored;
    const about =
      'operationId' in entry
        ? { operationId: entry.operationId, chain: chainOfOperation(entry.operationId) }
        : { operationId: null, chain: entry.subject };
    const fault = (because: string): void => {
      faults.push({ ...about, sequence: entry.sequence, because });
    };
    if (entry.sequence !== index + 1) fault('an entry is missing before it');
    if (storedPrevious !== previousHash) fault('it is not chained to the entry before it');
    if (chainHash(storedPrevious, entry) !== hash) fault('its contents are not what was hashed');
    previousHash = hash;
  });
  return faults;
};
