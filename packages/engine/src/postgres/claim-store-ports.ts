import { randomUUID } from 'node:crypto';
import { crashPoint } from '#crash-point';
import type { ProviderAccount, ProviderDirectory, WorkerSettings } from '../engine-interface.ts';
import type { AccessRules } from '../intake/access.ts';
import { byPayment } from '../mirror/by-payment.ts';
import type { ReadAccountPorts } from '../mirror/read-account.ts';
import type { SeenAtProvider } from '../mirror/seen-at-provider.ts';
import type { HandleDuePorts } from '../worker/handle-due.ts';
import type { WorkerPorts } from '../worker/worker.ts';
import { endTurn, loseSight, storeAnswer } from './attempt-store.ts';
import { lockOperation } from './change-operation.ts';
import { databaseNow, dueOrganisations, takeDueEvents, takeDueOperations } from './claim-store-due.ts';
import type { Connection, InOrganisation, OrganisationTransaction, ReadClock } from './connection.ts';
import { beginNewGeneration, ledgerIsAhead } from './history-store.ts';
import { finishTurn, isHome, takeTurn } from './mirror-store-position.ts';
import { groupedPorts } from './grouped-ports.ts';
import { newsIn, providerOf } from './mirror-store-news.ts';
import { absorbSeen } from './mirror-store.ts';
import { settleOperation } from './observation-store.ts';
import {
  adjustAttention,
  applyKnown,
  applyVerdict,
  expire,
  readKnown,
  readUnknown,
  recordLookUp,
} from './observation-store-checks.ts';
import {
  addWebhookObservation,
  findOperation,
  finishEvent,
  paymentIsKnown,
  postponeEvent,
} from './webhook-store.ts';

/** What every store of the worker is run with. */
export type StoreContext = {
  readonly connection: Connection;
  readonly inOrganisation: InOrganisation;
  /** None: the database's own. */
  readonly readClock?: ReadClock;
  readonly providers: ProviderDirectory;
  readonly settings: WorkerSettings;
  /** Whether anybody can approve it is said of a proposal; keys can only where these let them. */
  readonly rules?: AccessRules;
  /** Shown on claims, so that people can see which process holds one. */
  readonly workerName: string;
};

type OfOperation = <Rest extends unknown[], Result>(
  work: (tx: OrganisationTransaction, operationId: string, ...rest: Rest) => Promise<Result>,
) => (organisationId: string, operationId: string, ...rest: Rest) => Promise<Result>;

const ofOperationIn =
  (inOrganisation: InOrganisation): OfOperation =>
  (work) =>
  (organisationId, operationId, ...rest) =>
    inOrganisation(organisationId, (tx) => work(tx, operationId, ...rest));

export const duePorts = ({
  connection,
  inOrganisation,
  readClock,
}: StoreContext): Pick<WorkerPorts, 'dueOrganisations' | 'takeDue'> => ({
  dueOrganisations: async () => {
    const now = readClock === undefined ? null : readClock(await databaseNow(connection.driver));
    return dueOrganisations(connection.driver, now);
  },
  takeDue: (organisationId, limit, turnMs) =>
    inOrganisation(organisationId, async (tx) => [
      ...(await takeDueEvents(tx, limit, turnMs)),
      ...(await takeDueOperations(tx, limit, turnMs)),
    ]),
});

export const claimPorts = ({
  inOrganisation,
  workerName,
  settings,
  rules = { keysMayDecide: false },
}: StoreContext): Pick<
  HandleDuePorts,
  | 'readSubject'
  | 'claim'
  | 'readBeforeSend'
  | 'storeAnswer'
  | 'storeAndSettle'
  | 'expire'
  | 'pushWake'
  | 'stopWaking'
> => {
  const gathered = groupedPorts({ inOrganisation, settings, workerName, isHome });
  return {
    readSubject: (organisationId, operationId, account) =>
      gathered.subject(organisationId, { operationId, account }),
    claim: (request) => gathered.claim(request.organisationId, request),
    readBeforeSend: async (claimed) => {
      crashPoint('after-claim-before-fence');
      const facts = await gathered.beforeSend(claimed.organisationId, claimed);
      crashPoint('after-fence-before-send');
      return facts;
    },
    storeAnswer: (account, attempt, report) =>
      inOrganisation(account.organisationId, (tx) => storeAnswer(tx, attempt, report)),
    storeAndSettle: async (account, attempt, report) => {
      crashPoint('after-answer-before-record');
      await gathered.record(account.organisationId, { account, attempt, report });
      crashPoint('after-record-before-notice');
    },
    expire: (organisationId, operationId) =>
      inOrganisation(organisationId, (tx) => expire(tx, operationId, rules)),
    pushWake: (organisationId, operationId, afterMs) =>
      inOrganisation(organisationId, (tx) => endTurn(tx, operationId, new Date(tx.now.getTime() + afterMs))),
    stopWaking: (organisationId, operationId) =>
      inOrganisation(organisationId, (tx) => endTurn(tx, operationId, null)),
  };
};

export const evidencePorts = (
  context: StoreContext,
): Pick<
  HandleDuePorts,
  | 'absorb'
  | 'settle'
  | 'settleEvidence'
  | 'loseSight'
  | 'readUnknown'
  | 'recordLookUp'
  | 'adjustAttention'
  | 'applyVerdict'
  | 'readKnown'
  | 'applyKnown'
> => {
  const { inOrganisation, providers, settings } = context;
  const ofOperation = ofOperationIn(inOrganisation);
  const settleAs = (account: ProviderAccount | undefined, organisationId: string, operationId: string) =>
    inOrganisation(organisationId, (tx) => settleOperation(tx, operationId, account, settings));
  return {
    absorb: (account, seen) => absorb(context, account, seen),
    settle: async (account, operationId) => {
      await settleAs(account, account.organisationId, operationId);
    },
    settleEvidence: async (account, due) =>
      (await settleAs(account, due.organisationId, due.operationId))?.state ?? due.state,
    loseSight: async (organisationId, operationId) => {
      const account = providers.accountOf(organisationId);
      await inOrganisation(organisationId, (tx) => loseSight(tx, operationId, account, settings));
    },
    readUnknown: ofOperation(readUnknown),
    recordLookUp: async (account, operationId, finding) => {
      crashPoint('after-look-up-before-record');
      await inOrganisation(account.organisationId, async (tx) => {
        await lockOperation(tx, operationId);
        await recordLookUp(tx, operationId, finding);
        await settleOperation(tx, operationId, account, settings);
      });
    },
    adjustAttention: ofOperation(adjustAttention),
    applyVerdict: ofOperation(applyVerdict),
    readKnown: ofOperation(readKnown),
    applyKnown: ofOperation(applyKnown),
  };
};

export const eventPorts = ({
  inOrganisation,
}: StoreContext): Pick<
  HandleDuePorts,
  'findOperation' | 'paymentIsKnown' | 'addWebhookObservation' | 'finishEvent' | 'postponeEvent'
> => ({
  findOperation: (organisationId, joins) => inOrganisation(organisationId, (tx) => findOperation(tx, joins)),
  paymentIsKnown: (account, references) =>
    inOrganisation(account.organisationId, (tx) => paymentIsKnown(tx, providerOf(account), references)),
  addWebhookObservation: ofOperationIn(inOrganisation)(addWebhookObservation),
  finishEvent: (stored, result) => {
    crashPoint('after-event-applied-before-finish');
    return inOrganisation(stored.organisationId, (tx) => finishEvent(tx, stored, result));
  },
  postponeEvent: (stored, because, afterMs) =>
    inOrganisation(stored.organisationId, (tx) => postponeEvent(tx, stored, because, afterMs)),
});

export const mirrorPorts = ({
  inOrganisation,
}: StoreContext): Pick<ReadAccountPorts, 'takeTurn' | 'finishTurn'> => ({
  takeTurn: (account, turnMs) =>
    inOrganisation(account.organisationId, (tx) => takeTurn(tx, account, turnMs)),
  finishTurn: (account, turn) => {
    crashPoint('after-listing-before-position');
    return inOrganisation(account.organisationId, (tx) => finishTurn(tx, account, turn));
  },
});

/** Takes in what the provider's side showed; where that is ahead of us, a new generation of history begins before it. */
const absorb = async (
  context: StoreContext,
  account: ProviderAccount,
  seen: SeenAtProvider,
): Promise<void> => {
  let news = seen;
  let ahead = false;
  if (seen.source === 'listing') {
    await context.inOrganisation(account.organisationId, async (tx) => {
      news = await newsIn(tx, account, seen);
      ahead = await ledgerIsAhead(tx, account, news.refunds);
    });
    if (ahead) await beginAnew(context);
  }
  for (const part of byPayment(news)) {
    if (await absorbPart(context, account, part, seen.source !== 'listing')) continue;
    // An event alone holds nobody up: the question that follows it says whether the provider has such a refund.
    if (seen.source === 'webhook') continue;
    await beginAnew(context);
    await absorbPart(context, account, part, false);
  }
};

const beginAnew = ({ connection }: StoreContext): Promise<void> =>
  beginNewGeneration(
    connection,
    randomUUID(),
    'The provider shows a refund by us for something that was never sent from here. Was the database put back? `holdfast sweep` names it; then `holdfast hold off`',
  );

/**
 * What was seen of one payment, and what it settles, in one transaction: nothing seen is left unsettled.
 * @returns false where it was to be judged first and shows that the provider is ahead of us: nothing was taken in
 */
const absorbPart = (
  { inOrganisation, settings }: StoreContext,
  account: ProviderAccount,
  part: SeenAtProvider,
  judged: boolean,
): Promise<boolean> =>
  inOrganisation(account.organisationId, async (tx) => {
    if (judged && (await ledgerIsAhead(tx, account, part.refunds))) return false;
    for (const operationId of await absorbSeen(tx, account, part)) {
      await settleOperation(tx, operationId, account, settings);
    }
    return true;
  });
