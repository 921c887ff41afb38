import { makeSeal, type ChainHead, type Seal, type SealPosition, type SealSigner } from '../audit/seal.ts';
import type { InOrganisation, OrganisationTransaction } from './connection.ts';
import { auditSeals } from './schema.ts';
import { newestSeal } from './seal-store.ts';

/** Entries or chains that one look takes: what a seal holds in memory is bounded by it. */
const usualMost = 2_000;
/** After so many seals in a row of one organisation the others have their turn. */
const sealsOfOneTurn = 20;

type Look = { readonly heads: readonly ChainHead[]; readonly next: SealPosition; readonly more: boolean };

/** Below `horizon` every transaction has ended: what is seen there is all there will ever be. */
type Horizon = { readonly horizon: string; readonly beyond: string; readonly generation: string };

const horizonOf = async (tx: OrganisationTransaction): Promise<Horizon> => {
  const [row] = await tx.ask<Horizon>(
    `select pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
       pg_snapshot_xmax(pg_current_snapshot())::text as beyond, generation
     from organisations where org_id = $1`,
    [tx.organisationId],
  );
  if (row === undefined) throw new Error(`there is no organisation ${tx.organisationId}`);
  return row;
};

// Behind the horizon, from before entries were stamped, or stamped by another cluster's counter.
const behind = '(tx_id is null or tx_id < $3::text::xid8 or tx_id >= $4::text::xid8)';
const operationsText = `with ends as (
    select operation_id, max(sequence) as sequence from audit
    where org_id = $1 and operation_id > $2::uuid and ${behind}
    group by operation_id order by operation_id limit $5::integer)
  select 'operation ' || a.operation_id as chain, a.sequence, a.hash
  from ends join audit a on a.org_id = $1 and a.operation_id = ends.operation_id and a.sequence = ends.sequence
  order by a.operation_id`;
const subjectsText = `with ends as (
    select subject, max(sequence) as sequence from organisation_audit
    where org_id = $1 and subject > $2 and ${behind} group by subject order by subject limit $5::integer)
  select a.subject as chain, a.sequence, a.hash
  from ends join organisation_audit a on a.org_id = $1 and a.subject = ends.subject and a.sequence = ends.sequence
  order by a.subject`;
const transactionsText = `select * from (
    (select tx_id::text as tx, tx_id, 'operation ' || operation_id as chain, sequence, hash from audit
     where org_id = $1 and tx_id >= $2::text::xid8 and tx_id < $3::text::xid8 order by tx_id limit $4::bigint)
    union all
    (select tx_id::text as tx, tx_id, subject, sequence, hash from organisation_audit
     where org_id = $1 and tx_id >= $2::text::xid8 and tx_id < $3::text::xid8 order by tx_id limit $4::bigint)) rows
  order by tx_id limit $4::bigint`;

const nilId = '00000000-0000-0000-0000-000000000000';
const startOf = ({ generation, horizon }: Horizon): SealPosition => ({
  generation,
  from: horizon,
  phase: 'operations',
  after: nilId,
});

const lookAtChains = async (
  tx: OrganisationTransaction,
  position: Exclude<SealPosition, { phase: 'transactions' }>,
  { beyond }: Horizon,
  most: number,
): Promise<Look> => {
  const { phase, after, generation, from } = position;
  const text = phase === 'operations' ? operationsText : subjectsText;
  const heads = await tx.ask<ChainHead>(text, [tx.organisationId, after, from, beyond, most]);
  const last = heads.at(-1)?.chain;
  if (heads.length === most && last !== undefined) {
    const next = phase === 'operations' ? last.slice('operation '.length) : last;
    return { heads, more: true, next: { generation, from, phase, after: next } };
  }
  return phase === 'operations'
    ? { heads, more: true, next: { generation, from, phase: 'subjects', after: '' } }
    : { heads, more: true, next: { generation, from, phase: 'transactions' } };
};

type Stamped = ChainHead & { readonly tx: string };

/** The newest of each chain, sorted as the root takes them. */
const headsOf = (entries: readonly Stamped[]): readonly ChainHead[] => {
  const heads = new Map<string, ChainHead>();
  for (const { chain, sequence, hash } of entries) {
    if ((heads.get(chain)?.sequence ?? 0) < sequence) heads.set(chain, { chain, sequence, hash });
  }
  return [...heads.values()].sort((one, other) => (one.chain < other.chain ? -1 : 1));
};

const lookAtTransactions = async (
  tx: OrganisationTransaction,
  { generation, from }: SealPosition,
  { horizon }: Horizon,
  most: number,
): Promise<Look> => {
  const read = (first: string, before: string, limit: number) =>
    tx.ask<Stamped>(transactionsText, [tx.organisationId, first, before, limit]);
  const found = await read(from, horizon, most);
  const last = found.at(-1)?.tx;
  if (found.length < most || last === undefined) {
    return { heads: headsOf(found), more: false, next: { generation, from: horizon, phase: 'transactions' } };
  }
  // The last transaction may go on past the limit, so it is left to the next look, unless it is all there is.
  const whole = found.filter(({ tx: of }) => of !== last);
  if (whole.length > 0) {
    return { heads: headsOf(whole), more: true, next: { generation, from: last, phase: 'transactions' } };
  }
  const after = String(BigInt(last) + 1n);
  const all = await read(last, after, Number.MAX_SAFE_INTEGER);
  return { heads: headsOf(all), more: true, next: { generation, from: after, phase: 'transactions' } };
};

/** Without what a seal holds already: a chain met again, or an entry written before a later one's transaction began. */
const notYetSealed = async (
  tx: OrganisationTransaction,
  heads: readonly ChainHead[],
): Promise<readonly ChainHead[]> => {
  if (heads.length === 0) return [];
  const sealed = await tx.ask<{ chain: string; sequence: number }>(
    `select chain, max(sequence) as sequence from audit_seal_heads
     where org_id = $1 and chain = any($2::text[]) group by chain`,
    [tx.organisationId, heads.map(({ chain }) => chain)],
  );
  const known = new Map(sealed.map(({ chain, sequence }) => [chain, sequence]));
  return heads.filter(({ chain, sequence }) => sequence > (known.get(chain) ?? 0));
};

const writeSeal = async (
  tx: OrganisationTransaction,
  seal: Seal,
  heads: readonly ChainHead[],
): Promise<void> => {
  await tx.db.insert(auditSeals).values({ ...seal, at: new Date(seal.at) });
  // One parameter, however many heads there are.
  await tx.ask(
    `insert into audit_seal_heads (org_id, number, chain, sequence, hash)
     select $1, $2::integer, h.chain, h.sequence, h.hash
     from jsonb_to_recordset($3::text::jsonb) as h (chain text, sequence integer, hash text)`,
    [tx.organisationId, seal.number, JSON.stringify(heads)],
  );
};

type Step = {
  readonly seal: Seal | null;
  readonly more: boolean;
  /** Where the next look goes on, and after which seal that holds: what came to nothing need not be looked at again. */
  readonly at: Reached;
};
type Reached = { readonly sealNumber: number; readonly position: SealPosition };

/** One look, in one transaction. @param reached what looks before this one came to without a seal */
const sealNext = async (
  tx: OrganisationTransaction,
  signer: SealSigner,
  most: number,
  reached: Reached | null,
): Promise<Step | undefined> => {
  // Whoever comes second leaves it to the first: nothing waits here, and no commit waits for this.
  const [lock] = await tx.ask<{ mine: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('audit seals ' || $1, 0)) as mine`,
    [tx.organisationId],
  );
  if (lock?.mine !== true) return undefined;
  const previous = await newestSeal(tx);
  const horizon = await horizonOf(tx);
  const sealNumber = previous?.number ?? 0;
  const known = reached?.sealNumber === sealNumber ? reached.position : previous?.position;
  const position = known?.generation === horizon.generation ? known : startOf(horizon);
  const look: Look =
    position.phase === 'transactions'
      ? await lookAtTransactions(tx, position, horizon, most)
      : await lookAtChains(tx, position, horizon, most);
  const heads = await notYetSealed(tx, look.heads);
  if (heads.length === 0) return { seal: null, more: look.more, at: { sealNumber, position: look.next } };
  const given = { organisationId: tx.organisationId, at: tx.now.toISOString(), position: look.next };
  const seal = makeSeal(signer, given, previous, heads);
  await writeSeal(tx, seal, heads);
  return { seal, more: look.more, at: { sealNumber: seal.number, position: look.next } };
};

/**
 * Seals what has been audited since the last seal and is behind the horizon, a bounded part at a time, each in a
 * transaction of its own. Any number of processes may do so at once. Pages that hold nothing new, as after a restore,
 * are passed over in transactions of their own too, and without an end: otherwise the next turn would begin with them.
 * @returns the newest seal that it made, if it made any
 */
export const sealAudit = async (
  inOrganisation: InOrganisation,
  organisationId: string,
  signer: SealSigner,
  most: number = usualMost,
): Promise<Seal | undefined> => {
  let newest: Seal | undefined;
  let reached: Reached | null = null;
  for (let made = 0; made < sealsOfOneTurn;) {
    const before: Reached | null = reached;
    const step: Step | undefined = await inOrganisation(organisationId, (tx) =>
      sealNext(tx, signer, most, before),
    );
    if (step === undefined) break;
    if (step.seal !== null) {
      newest = step.seal;
      made += 1;
    }
    if (!step.more) break;
    reached = step.at;
  }
  return newest;
};
