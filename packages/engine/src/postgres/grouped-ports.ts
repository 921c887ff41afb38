import type { ClaimRequest, ClaimResult, ClaimSubject } from '../claim/claim-approved.ts';
import type { ProviderAccount } from '../engine-interface.ts';
import type { Claimed } from '../execute/claimed.ts';
import type { BeforeSendFacts } from '../execute/send-verdict.ts';
import { createGathering, type GatheringTerms } from '../grouping/gather.ts';
import { readBeforeSend } from './attempt-store.ts';
import { claimGroup, type ClaimTerms } from './claim-group.ts';
import { readSubjects } from './claim-subjects.ts';
import { recordGroup, type Answered, type RecordTerms } from './record-group.ts';

type Wanted = { readonly operationId: string; readonly account: ProviderAccount };

/** Operations of one transaction at most, so that its locks are short. */
const mostOfOneGroup = 100;
/** Of each kind of work: what comes while one group is under way makes the next one larger. */
const groupsAtOnce = 1;

const gathering = <Job, Result>(carryOut: GatheringTerms<Job, Result>['carryOut']) =>
  createGathering({ atOnce: groupsAtOnce, most: mostOfOneGroup, weightOf: () => 1, carryOut });

/** What of the worker's work is done together for operations of one organisation that come to it at the same moment. */
export const groupedPorts = (terms: ClaimTerms & RecordTerms) => {
  const { inOrganisation } = terms;
  return {
    // Plain reads: one that breaks is asked for again by the next pass.
    subject: gathering<Wanted, ClaimSubject | null>(async (organisationId, jobs) => {
      const subjects = await inOrganisation(organisationId, (tx) => readSubjects(tx, jobs));
      return subjects.map((subject) => Promise.resolve(subject));
    }),
    claim: gathering<ClaimRequest, ClaimResult>((organisationId, requests) =>
      claimGroup(terms, organisationId, requests),
    ),
    // Each is asked for after its claim has committed, so the question sees it whatever else it asks about.
    beforeSend: gathering<Claimed, BeforeSendFacts>(async (organisationId, claims) => {
      const found = await inOrganisation(organisationId, (tx) => readBeforeSend(tx, claims));
      return found.map((facts) =>
        facts === undefined
          ? Promise.reject(new Error('a claimed operation does not exist'))
          : Promise.resolve(facts),
      );
    }),
    record: gathering<Answered, void>((organisationId, answers) =>
      recordGroup(terms, organisationId, answers),
    ),
  };
};
