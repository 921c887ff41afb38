import { faultsOfSeal, type Seal } from '../audit/seal.ts';
import type { OrganisationTransaction } from './connection.ts';
import { newestSeals } from './seal-store.ts';
import { verifySealSignature } from './seal-signature.ts';

export type SealStatus = {
  /** Newest first. */
  readonly seals: readonly Seal[];
  /** Whether the newest seal is what was signed. Null where there is none. */
  readonly newestHolds: boolean | null;
  /** The last time that everything was looked through. */
  readonly verified: { readonly at: string; readonly clean: boolean; readonly faults: number } | null;
};

/** @param keys the public keys that may have signed; null where they are not known here */
export const readSealStatus = async (
  tx: OrganisationTransaction,
  limit: number,
  keys: readonly string[] | null,
): Promise<SealStatus> => {
  const seals = await newestSeals(tx, limit);
  const [newest] = seals;
  const [last] = await tx.ask<{ at_ms: string; clean: string; faults: string }>(
    `select floor(extract(epoch from at) * 1000)::text as at_ms, data ->> 'clean' as clean, data ->> 'faults' as faults
     from organisation_audit where org_id = $1 and subject = 'audit' and type = 'audit-verified'
     order by sequence desc limit 1`,
    [tx.organisationId],
  );
  return {
    seals,
    newestHolds: newest === undefined ? null : faultsOfSeal(newest, keys, verifySealSignature).length === 0,
    verified:
      last === undefined
        ? null
        : {
            at: new Date(Number(last.at_ms)).toISOString(),
            clean: last.clean === 'true',
            faults: Number(last.faults),
          },
  };
};
