import {
  differencesOf,
  policyFromStored,
  policyInWords,
  type Policy,
  type PolicyChange,
  type PolicyDesk,
  type PolicySpeech,
  type PolicyVersion,
  type Role,
} from '@holdfast/operation';
import type { Principal } from '../engine-interface.ts';
import { personOf } from '../intake/access.ts';
import type { OrganisationTransaction } from './connection.ts';
import { codecOf } from './row-codec.ts';
import { policyChanges, policyVersions, type PolicyChangeRow, type PolicyVersionRow } from './schema.ts';

/** History is read from its newest end; older versions are counted. */
const mostVersions = 50;
const mostEnded = 20;

const versionCodec = codecOf(policyVersions);
const changeCodec = codecOf(policyChanges);

export type Member = { readonly id: string; readonly name: string; readonly role: Role };

export type InForce = { readonly policy: Policy; readonly organisationSince: Date };

const organisationText = `select policy, floor(extract(epoch from created_at) * 1000)::text as since_ms
  from organisations where org_id = $1`;

const inForceOf = async (tx: OrganisationTransaction, text: string): Promise<InForce> => {
  const [row] = await tx.ask<{ policy: unknown; since_ms: string }>(text, [tx.organisationId]);
  if (row === undefined) throw new Error(`there is no organisation ${tx.organisationId}`);
  return {
    policy: policyFromStored(row.policy),
    organisationSince: new Date(Number(row.since_ms)),
  };
};

const readInForce = (tx: OrganisationTransaction): Promise<InForce> => inForceOf(tx, organisationText);

/**
 * The policy in force, held to the end of the transaction: two admins who change it at once come one after the other.
 * Rows that only refer to the organisation do not wait for it.
 */
export const lockInForce = (tx: OrganisationTransaction): Promise<InForce> =>
  inForceOf(tx, `${organisationText} for no key update`);

/** Members as they are now; who was removed is nobody's member. */
export const readMembers = async (tx: OrganisationTransaction): Promise<readonly Member[]> =>
  tx.ask<Member>(
    `select user_id as id, name, role from members where org_id = $1 and removed_at is null
      order by name, user_id`,
    [tx.organisationId],
  );

/** Names of members and of whoever acted, also of those who have left; someone erased is their ID. */
export const readNamesOf = async (
  tx: OrganisationTransaction,
  ids: readonly string[],
): Promise<(id: string) => string> => {
  const rows = await tx.ask<{ id: string; name: string }>(
    `select user_id as id, name from members where org_id = $1 and user_id = any($2::text[])
      union all select actor_id, name from actors where org_id = $1 and actor_id = any($2::text[])`,
    [tx.organisationId, [...new Set(ids)]],
  );
  const names = new Map(rows.toReversed().map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
};

export const peopleIn = ({ limits }: Pick<Policy, 'limits'>): readonly string[] => [
  ...new Set(limits.flatMap(({ for: whom }) => ('personId' in whom ? [whom.personId] : []))),
];

export const readWaiting = async (tx: OrganisationTransaction): Promise<PolicyChangeRow | undefined> =>
  (await tx.rows(changeCodec, `where t.org_id = $1 and t.state = 'waiting'`, [tx.organisationId]))[0];

export const lockChange = async (
  tx: OrganisationTransaction,
  changeId: string,
): Promise<PolicyChangeRow | undefined> =>
  (
    await tx.rows(changeCodec, 'where t.org_id = $1 and t.id = $2::uuid for update', [
      tx.organisationId,
      changeId,
    ])
  )[0];

type History = {
  readonly inForce: InForce;
  readonly versions: readonly PolicyVersionRow[];
  readonly kept: number;
  readonly changes: readonly PolicyChangeRow[];
};

const readHistory = async (tx: OrganisationTransaction): Promise<History> => {
  const inForce = await readInForce(tx);
  const kept = await tx.rows(
    versionCodec,
    `where t.org_id = $1 order by t.version desc limit ${mostVersions + 1}`,
    [tx.organisationId],
  );
  const [counted] = await tx.ask<{ count: number }>(
    'select count(*)::integer as count from policy_versions where org_id = $1',
    [tx.organisationId],
  );
  const changes = await tx.rows(
    changeCodec,
    `where t.org_id = $1 and t.state <> 'in-force'
      order by t.proposed_at desc, t.id desc limit ${mostEnded + 1}`,
    [tx.organisationId],
  );
  return { inForce, versions: withFirst(tx, inForce, kept), kept: counted?.count ?? 0, changes };
};

/** The version an organisation began with is written down with the first change; until then it is the one in force. */
const withFirst = (
  { organisationId }: OrganisationTransaction,
  { policy, organisationSince }: InForce,
  kept: readonly PolicyVersionRow[],
): readonly PolicyVersionRow[] =>
  kept.length > 0 ? kept : [firstVersion(organisationId, policy, organisationSince)];

export const firstVersion = (
  organisationId: string,
  policy: Policy,
  inForceFrom: Date,
): PolicyVersionRow => ({
  organisationId,
  version: policy.version,
  policy,
  note: null,
  proposedBy: null,
  confirmedBy: null,
  inForceFrom,
});

/** IDs of everybody whose name the desk shows. */
const idsIn = ({ inForce, versions, changes }: History): readonly string[] => [
  ...peopleIn(inForce.policy),
  ...[...versions, ...changes].flatMap(({ policy }) => peopleIn(policyFromStored(policy))),
  ...versions.flatMap(({ proposedBy, confirmedBy }) => [proposedBy ?? '', confirmedBy ?? '']),
  ...changes.flatMap(({ proposedBy, decidedBy }) => [proposedBy, decidedBy ?? '']),
];

const personWith =
  ({ nameOf }: PolicySpeech) =>
  <Id extends string | null>(id: Id) =>
    (id === null ? null : { id, name: nameOf(id) }) as Id extends null ? null : { id: string; name: string };

const viewOfVersion = (
  row: PolicyVersionRow,
  before: PolicyVersionRow | undefined,
  speech: PolicySpeech,
): PolicyVersion => {
  const policy = policyFromStored(row.policy);
  const person = personWith(speech);
  return {
    version: row.version,
    policy,
    note: row.note,
    by: person(row.proposedBy),
    confirmedBy: person(row.confirmedBy),
    at: row.inForceFrom.toISOString(),
    differences:
      before === undefined ? [] : [...differencesOf(policyFromStored(before.policy), policy, speech)],
  };
};

const viewOfChange = (row: PolicyChangeRow, before: Policy, speech: PolicySpeech): PolicyChange => {
  const policy = policyFromStored(row.policy);
  const person = personWith(speech);
  return {
    id: row.id,
    basedOn: row.basedOn,
    policy,
    note: row.note,
    by: { id: row.proposedBy, name: speech.nameOf(row.proposedBy) },
    at: row.proposedAt.toISOString(),
    state: row.state,
    decidedBy: person(row.decidedBy),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    reason: row.reason,
    differences: [...differencesOf(before, policy, speech)],
  };
};

/** How names and amounts are said by the server, which does not know its reader's decimal mark. */
export const readSpeech = async (
  tx: OrganisationTransaction,
  ids: readonly string[],
): Promise<PolicySpeech> => ({ nameOf: await readNamesOf(tx, ids), decimalMark: '.' });

export const readDesk = async (tx: OrganisationTransaction, who: Principal): Promise<PolicyDesk> => {
  const history = await readHistory(tx);
  const speech = await readSpeech(tx, idsIn(history));
  const members = await readMembers(tx);
  const { policy } = history.inForce;
  const shown = history.versions.slice(0, mostVersions);
  const basedOn = (version: number): Policy => {
    const row = history.versions.find((one) => one.version === version);
    return row === undefined ? policy : policyFromStored(row.policy);
  };
  const changes = history.changes.map((row) => viewOfChange(row, basedOn(row.basedOn), speech));
  return {
    policy,
    inWords: [...policyInWords(policy, speech)],
    waiting: changes.find(({ state }) => state === 'waiting') ?? null,
    versions: shown.map((row, index) => viewOfVersion(row, history.versions[index + 1], speech)),
    olderVersions: Math.max(0, history.kept - shown.length),
    ended: changes.filter(({ state }) => state !== 'waiting').slice(0, mostEnded),
    members: members.map(({ id, name, role }) => ({ id, name, role })),
    otherAdmins: members.filter(({ id, role }) => role === 'admin' && id !== personOf(who.actor)).length,
  };
};
