import type { ChainFault } from '../audit/audit-chain.ts';
import {
  faultOfHead,
  faultsOfSeal,
  operationOfChain,
  rootOfHeads,
  sealFault,
  sealStart,
  type ChainHead,
  type Seal,
} from '../audit/seal.ts';
import type { InOrganisation, OrganisationTransaction } from './connection.ts';
import { newestSeal, sealNumbered, sealsAfter } from './seal-store.ts';
import { verifySealSignature } from './seal-signature.ts';

export type TrustedSeals = {
  /** Public keys that may have signed; null where none is known here, so that each seal is held to its own. */
  readonly keys: readonly string[] | null;
  /** Seals that were kept outside the database. */
  readonly kept: readonly Seal[];
};

type Tell = (fault: ChainFault) => void;

const sealsAtOnce = 100;
const headsAtOnce = 1_000;
const entriesAtOnce = 5_000;
const unsealedShown = 100;

type FoundHead = ChainHead & { readonly now: string | null };

// What a seal holds, beside what is stored of it now: of an operation's chain, or of another's.
const headsText = `select h.chain, h.sequence, h.hash, coalesce(a.hash, o.hash) as now
  from audit_seal_heads h
  left join audit a on a.org_id = h.org_id and a.sequence = h.sequence
    and a.operation_id = case when h.chain ~ '^operation [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      then substr(h.chain, 11)::uuid end
  left join organisation_audit o on o.org_id = h.org_id and o.subject = h.chain and o.sequence = h.sequence
  where h.org_id = $1 and h.number = $2::integer and h.chain > $3
  order by h.chain limit $4::integer`;

const verifyHeads = async (
  inOrganisation: InOrganisation,
  { organisationId, number, heads, root: sealed }: Seal,
  tell: Tell,
): Promise<void> => {
  const root = rootOfHeads();
  let count = 0;
  for (let after: string | null = ''; after !== null;) {
    const from: string = after;
    const found: readonly FoundHead[] = await inOrganisation(organisationId, (tx) =>
      tx.ask<FoundHead>(headsText, [organisationId, number, from, headsAtOnce]),
    );
    for (const { now, ...head } of found) {
      root.add(head);
      const fault = faultOfHead(number, head, now);
      if (fault !== null) tell(fault);
    }
    count += found.length;
    after = found.length < headsAtOnce ? null : (found.at(-1)?.chain ?? null);
  }
  if (count !== heads || root.root() !== sealed) {
    tell(sealFault(number, 'what the seal holds was changed: its root is another'));
  }
};

const verifyKept = async (
  tx: OrganisationTransaction,
  kept: Seal,
  { keys }: TrustedSeals,
  tell: Tell,
): Promise<void> => {
  if (kept.organisationId !== tx.organisationId) {
    tell(sealFault(kept.number, 'the seal that was kept is of another organisation'));
    return;
  }
  faultsOfSeal(kept, keys, verifySealSignature).forEach(tell);
  const here = await sealNumbered(tx, kept.number);
  if (here === null) {
    tell(sealFault(kept.number, 'the seal that was kept elsewhere is not here: the audit was cut after it'));
  } else if (here.hash !== kept.hash) {
    tell(sealFault(kept.number, 'the seal that was kept elsewhere is another than the one here'));
  }
};

type ReadEntry = {
  readonly key: string;
  readonly chain: string;
  readonly sequence: number;
  readonly behind: boolean;
};

/**
 * A page of entries in the order of their key, so that neither memory nor a statement grows with the audit. What is
 * `behind`: the newest seal passed its transaction by, and no seal holds it.
 */
const pageText = (page: string): string => `select p.key::text as key, p.chain, p.sequence,
    p.tx_id < $2::text::xid8 and not exists (select from audit_seal_heads h
      where h.org_id = $1 and h.chain = p.chain and h.sequence >= p.sequence) as behind
  from (${page} limit $5::integer) p order by p.key, p.sequence`;

const tablesOfEntries = [
  {
    first: '00000000-0000-0000-0000-000000000000',
    text: pageText(`select operation_id as key, 'operation ' || operation_id as chain, sequence, tx_id from audit
      where org_id = $1 and (operation_id, sequence) > ($3::uuid, $4::integer) order by operation_id, sequence`),
  },
  {
    first: '',
    text: pageText(`select subject as key, subject as chain, sequence, tx_id from organisation_audit
      where org_id = $1 and (subject, sequence) > ($3, $4::integer) order by subject, sequence`),
  },
] as const;

/** Entries that the newest seal says are sealed, and are not: they were put in behind it. */
const verifyNothingBehind = async (
  inOrganisation: InOrganisation,
  organisationId: string,
  tell: Tell,
  atOnce: number,
): Promise<void> => {
  const newest = await inOrganisation(organisationId, newestSeal);
  if (newest?.position.phase !== 'transactions') return;
  const { generation, from } = newest.position;
  // After a restore transactions are counted anew, until a seal has been made since.
  const [same] = await inOrganisation(organisationId, (tx) =>
    tx.ask('select 1 from organisations where org_id = $1 and generation = $2', [organisationId, generation]),
  );
  if (same === undefined) return;
  let told = 0;
  for (const { first, text } of tablesOfEntries) {
    let after: readonly [string, number] | null = [first, 0];
    while (after !== null && told < unsealedShown) {
      const [key, sequence]: readonly [string, number] = after;
      const page: readonly ReadEntry[] = await inOrganisation(organisationId, (tx) =>
        tx.ask<ReadEntry>(text, [organisationId, from, key, sequence, atOnce]),
      );
      for (const entry of page.filter(({ behind }) => behind)) {
        const because = `it was put in behind seal ${String(newest.number)}, which does not hold it`;
        const { chain } = entry;
        tell({ operationId: operationOfChain(chain), chain, sequence: entry.sequence, because });
        told += 1;
      }
      const last = page.length < atOnce ? undefined : page.at(-1);
      after = last === undefined ? null : [last.key, last.sequence];
    }
  }
};

/** Checks every seal: by itself, beside the one before it, beside the entries it holds, and beside those kept elsewhere. */
export const verifySeals = async (
  inOrganisation: InOrganisation,
  organisationId: string,
  tell: Tell,
  trusted: TrustedSeals,
  atOnce = entriesAtOnce,
): Promise<number> => {
  let read = 0;
  let previous: Pick<Seal, 'number' | 'hash'> = { number: 0, hash: sealStart };
  for (;;) {
    const after: number = previous.number;
    const seals = await inOrganisation(organisationId, (tx) => sealsAfter(tx, after, sealsAtOnce));
    for (const seal of seals) {
      if (seal.number !== previous.number + 1) tell(sealFault(seal.number, 'a seal is missing before it'));
      if (seal.previousHash !== previous.hash)
        tell(sealFault(seal.number, 'it does not go on from the seal before it'));
      faultsOfSeal(seal, trusted.keys, verifySealSignature).forEach(tell);
      await verifyHeads(inOrganisation, seal, tell);
      previous = seal;
    }
    read += seals.length;
    if (seals.length < sealsAtOnce) break;
  }
  await inOrganisation(organisationId, async (tx) => {
    for (const kept of trusted.kept) await verifyKept(tx, kept, trusted, tell);
  });
  await verifyNothingBehind(inOrganisation, organisationId, tell, atOnce);
  return read;
};
