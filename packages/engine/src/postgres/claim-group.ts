import { crashPoint } from '#crash-point';
import type { ClaimRequest, ClaimResult } from '../claim/claim-approved.ts';
import type { ProviderAccount } from '../engine-interface.ts';
import { loadAuthority } from './approver-authority.ts';
import { changeWake } from './attempt-store.ts';
import { claim } from './claim-store.ts';
import type { InOrganisation, OrganisationTransaction } from './connection.ts';
import { codeOf, isDatabaseAway } from './database-trouble.ts';
import {
  loadApprovals,
  loadAuditHeads,
  loadDisputes,
  loadSeenRefunds,
  lockOperations,
  type Patience,
} from './load-operations.ts';
import { providerOf } from './mirror-store-news.ts';

export type ClaimTerms = {
  readonly inOrganisation: InOrganisation;
  readonly workerName: string;
  readonly isHome: (tx: OrganisationTransaction, account: ProviderAccount) => Promise<boolean>;
};

/**
 * Claims for several operations of one organisation in one transaction: each is judged as it would be alone, on locked
 * rows. Should anything break, nothing of it was written, and each is claimed in a transaction of its own.
 */
export const claimGroup = async (
  terms: ClaimTerms,
  organisationId: string,
  requests: readonly ClaimRequest[],
): Promise<readonly Promise<ClaimResult>[]> => {
  try {
    const results = await inOneTransaction(terms, organisationId, requests, 'briefly');
    return results.map((result) => Promise.resolve(result));
  } catch (trouble) {
    if (isDatabaseAway(trouble)) throw trouble;
  }
  return requests.map((request) => alone(terms, organisationId, request));
};

/** An account is known by what it is: a directory may describe the same one by another object each time. */
const nameOf = (account: ProviderAccount): string =>
  JSON.stringify([providerOf(account), account.accountId, account.liveMode, account.fake]);

const uniqueViolation = '23505';

/** Losing the race for a payment's one place in flight is a value; the constraint is the last to say so. */
const alone = async (
  terms: ClaimTerms,
  organisationId: string,
  request: ClaimRequest,
): Promise<ClaimResult> => {
  try {
    const [result] = await inOneTransaction(terms, organisationId, [request], 'as long as it takes');
    if (result === undefined) throw new Error('a claim came to nothing');
    return result;
  } catch (error) {
    if (codeOf(error) !== uniqueViolation) throw error;
    await terms.inOrganisation(organisationId, (tx) =>
      changeWake(tx, request.operationId, new Date(tx.now.getTime() + 1_000)),
    );
    return { kind: 'waits' };
  }
};

const inOneTransaction = (
  { inOrganisation, workerName, isHome }: ClaimTerms,
  organisationId: string,
  requests: readonly ClaimRequest[],
  patience: Patience,
): Promise<readonly ClaimResult[]> =>
  inOrganisation(organisationId, async (tx) => {
    const operationIds = [...new Set(requests.map(({ operationId }) => operationId))].toSorted();
    await lockOperations(tx, { operationIds, orderIds: [] }, 'and what is beside them', patience);
    await Promise.all([
      loadApprovals(tx),
      loadSeenRefunds(tx),
      loadDisputes(tx),
      loadAuditHeads(tx, operationIds),
    ]);
    await loadAuthority(tx, [...tx.memory.approvalsOf.values()].flat());
    // Asked once for all of the group, and remembered no longer: the next group may find other records.
    const homes = new Map<string, boolean>();
    const isHomeHere = async (account: ProviderAccount): Promise<boolean> => {
      const name = nameOf(account);
      const home = homes.get(name) ?? (await isHome(tx, account));
      homes.set(name, home);
      return home;
    };
    const results: ClaimResult[] = [];
    for (const request of requests) results.push(await claim(tx, request, workerName, isHomeHere));
    if (results.some(({ kind }) => kind === 'claimed')) crashPoint('before-claim-commits');
    return results;
  });
