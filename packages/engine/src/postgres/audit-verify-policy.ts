import { canonicalJson, defaultPolicy, policyFromStored, type JsonValue } from '@holdfast/operation';
import { hashOfText, type ChainFault } from '../audit/audit-chain.ts';
import type { InOrganisation, OrganisationTransaction } from './connection.ts';

/** A policy as its entry in the audit names it. Of what is stored, not of what it is read as: later fields add nothing. */
export const hashOfPolicy = (stored: unknown): string =>
  hashOfText(canonicalJson(JSON.parse(JSON.stringify(stored)) as JsonValue));

type Entry = { readonly sequence: number; readonly version: number; readonly hash: string | null };
type Stored = { readonly policy: unknown };

const versionIn = (stored: unknown): unknown => {
  const version: unknown = (stored as { readonly version?: unknown }).version;
  // The oldest rows do not number the policy that an organisation began with.
  return version === undefined ? 1 : version;
};

/** The rules that an organisation begins with have no entry, and are the same everywhere. */
const isTheFirst = (stored: unknown): boolean => {
  try {
    return hashOfPolicy(policyFromStored(stored)) === hashOfPolicy(defaultPolicy);
  } catch {
    // Not a policy at all.
    return false;
  }
};

const isWhatWasSet = (entry: Entry | undefined, stored: unknown): boolean =>
  entry === undefined
    ? versionIn(stored) === 1 && isTheFirst(stored)
    : entry.hash === null || entry.hash === hashOfPolicy(stored);

const read = async (tx: OrganisationTransaction) => {
  const entries = await tx.ask<Entry>(
    `select distinct on ((data ->> 'version')::integer)
       sequence, (data ->> 'version')::integer as version, data ->> 'policyHash' as hash
     from organisation_audit where org_id = $1 and subject = 'policy' and type = 'policy-changed'
     order by (data ->> 'version')::integer, sequence desc`,
    [tx.organisationId],
  );
  const [inForce] = await tx.ask<Stored>('select policy from organisations where org_id = $1', [
    tx.organisationId,
  ]);
  const versions = await tx.ask<Stored & { readonly version: number }>(
    'select version, policy from policy_versions where org_id = $1 order by version',
    [tx.organisationId],
  );
  return { entries, inForce: inForce?.policy, versions };
};

/** Whether the policy in force, and every one that ever was, is what its admins put in force. */
export const verifyPolicies = async (
  inOrganisation: InOrganisation,
  organisationId: string,
  tell: (fault: ChainFault) => void,
): Promise<void> => {
  const { entries, inForce, versions } = await inOrganisation(organisationId, async (tx) => {
    // Whoever changes the policy now has either done all of it or nothing.
    await tx.ask('select from organisations where org_id = $1 for share', [tx.organisationId]);
    return read(tx);
  });
  const fault = (entry: Entry | undefined, because: string): void => {
    tell({ operationId: null, chain: 'policy', sequence: entry?.sequence ?? 0, because });
  };
  const entryOf = (version: unknown) => entries.find((one) => one.version === version);
  const newest = entries.at(-1);
  const own = entryOf(versionIn(inForce));
  if (newest !== own || !isWhatWasSet(own, inForce)) {
    fault(newest, 'the policy in force is not the one that was put in force last');
  }
  for (const { version, policy } of versions) {
    if (versionIn(policy) !== version || !isWhatWasSet(entryOf(version), policy)) {
      fault(entryOf(version), `version ${String(version)} of the policy was changed`);
    }
  }
  for (const entry of entries) {
    if (versions.some(({ version }) => version === entry.version)) continue;
    fault(entry, `version ${String(entry.version)} of the policy is gone`);
  }
};
