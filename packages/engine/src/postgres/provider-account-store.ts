import { and, eq, inArray, sql } from 'drizzle-orm';
import type { InOrganisation, OrganisationTransaction } from './connection.ts';
import { fingerprintOfRow } from './operation-fingerprint.ts';
import { appendOrganisationAudit } from './organisation-audit.ts';
import { operations, payments, providerAccess, providerAccounts, type OperationRow } from './schema.ts';

/** An account as `holdfast provider set` learned it from the provider, with its sealed secrets. */
export type NewProviderAccess = {
  readonly provider: string;
  readonly accountId: string;
  readonly liveMode: boolean;
  readonly fake: boolean;
  readonly apiBase: string;
  readonly sealed: Uint8Array;
};

/**
 * Makes an account the organisation's own, from now on reached in this way. Payments that are filed under the fake
 * provider and were never used there move to it, with what was proposed for this very account.
 * @returns `held-by-another` where it belongs to another organisation: nothing is changed then
 */
export const setProviderAccess = async (
  tx: OrganisationTransaction,
  access: NewProviderAccess,
): Promise<'set' | 'held-by-another'> => {
  if (await isHeldByAnother(tx, access.provider, access.accountId)) return 'held-by-another';
  const { organisationId } = tx;
  const { provider, accountId, liveMode, fake, apiBase, sealed } = access;
  await tx.db
    .insert(providerAccounts)
    .values({ organisationId, provider, accountId, liveMode, fake, firstUsedAt: tx.now })
    .onConflictDoUpdate({
      target: [providerAccounts.organisationId, providerAccounts.provider, providerAccounts.accountId],
      set: { liveMode, fake },
    });
  await tx.db
    .insert(providerAccess)
    .values({ organisationId, provider, accountId, apiBase, sealed, setAt: tx.now })
    .onConflictDoUpdate({
      target: [providerAccess.organisationId, providerAccess.provider],
      set: { accountId, apiBase, sealed, setAt: tx.now },
    });
  if (!fake) await movePaymentsFromFake(tx, provider, accountId);
  await wakeWaitingForAccount(tx);
  await appendOrganisationAudit(tx, {
    type: 'provider-account-set',
    by: 'command-line',
    subject: `account ${accountId}`,
    data: { provider, liveMode, fake },
  });
  return 'set';
};

/** Whether another organisation has this account. Holds the account's lock to the end of the transaction. */
export const isHeldByAnother = async (
  tx: OrganisationTransaction,
  provider: string,
  accountId: string,
): Promise<boolean> => {
  const [row] = await tx.db.execute<{ held: boolean }>(
    sql`select account_held_by_another(${provider}, ${accountId}, ${tx.organisationId}) as held`,
  );
  return row?.held === true;
};

/** Operations that wait for an account are due now. */
export const wakeWaitingForAccount = async (tx: OrganisationTransaction): Promise<void> => {
  await tx.db
    .update(operations)
    .set({ wakeAt: tx.now })
    .where(
      and(
        eq(operations.organisationId, tx.organisationId),
        eq(operations.state, 'approved'),
        eq(operations.waitingFor, 'provider-account'),
      ),
    );
};

/** For the process that has just come to know an organisation's account. */
export const accountArrived = (inOrganisation: InOrganisation, organisationId: string): Promise<void> =>
  inOrganisation(organisationId, wakeWaitingForAccount);

const unfinished = ['proposed', 'approved', 'submitting', 'outcome_unknown', 'pending'] as const;

/** An approval is of a fingerprint, which names the account: what was approved for the fake stays with the fake. */
const isOfAccount = (row: OperationRow, accountId: string): boolean =>
  [accountId, null].some((account) => fingerprintOfRow(row, account) === row.fingerprint);

const movePaymentsFromFake = async (
  tx: OrganisationTransaction,
  provider: string,
  accountId: string,
): Promise<void> => {
  const { organisationId } = tx;
  const ofFake = sql`${payments.organisationId} = ${organisationId} and ${payments.provider} = ${provider}
    and ${payments.accountId} in (select f.account_id from provider_accounts f
      where f.org_id = ${organisationId} and f.provider = ${provider} and f.fake)`;
  const live = await tx.db
    .select()
    .from(operations)
    .where(
      and(
        eq(operations.organisationId, organisationId),
        eq(operations.provider, provider),
        inArray(operations.state, [...unfinished]),
      ),
    );
  const staying = live.filter((row) => !isOfAccount(row, accountId)).map((row) => row.paymentReference ?? '');
  await tx.db
    .update(payments)
    .set({ accountId, askedAt: null, updatedAt: tx.now })
    .where(
      sql`${ofFake} and not exists (select from operations o join attempts a
          on a.org_id = o.org_id and a.operation_id = o.id
        where o.org_id = ${organisationId} and o.provider = ${provider}
          and o.payment_reference = ${payments.paymentReference})
        and not (${inArray(payments.paymentReference, ['', ...staying])})`,
    );
};
