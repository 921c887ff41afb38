import { parseOperationId, type ProviderLedger, type ProviderRefund } from '@holdfast/operation';
import type { PaymentAnswer } from '@holdfast/providers';
import type { Engine, LedgerAsking, ProviderAccount, ProviderDirectory } from '../engine-interface.ts';
import { dashboardLink } from '../query/dashboard-link.ts';
import { viewOfLedger } from '../query/ledger-view.ts';
import { recentAnswers, type Dated } from '../query/recent-answers.ts';
import { createAccountLimiter, type AccountLimiter } from '../worker/account-limiter.ts';
import { questionsWithinBudget } from '../worker/ask-within-budget.ts';
import { changeAccountBudget } from './account-budget-store.ts';
import { requestCheck, shortestPauseMs } from './check-request.ts';
import { providerOf } from './mirror-store-news.ts';
import { readNames, readOperation, type ProviderNames } from './operation-reader.ts';
import type { OrganisationTransaction } from './connection.ts';
import { processClock } from './process-clock.ts';
import type { Runtime } from './runtime.ts';
import type { ResolutionRecord } from './schema-operation.ts';
import type { OperationRow } from './schema.ts';

export type ProviderLedgerParts = {
  readonly runtime: Runtime;
  readonly providers: ProviderDirectory;
  readonly providerName: ProviderNames;
  readonly providerTimeoutMs: number;
  readonly nowMs: () => number;
};

/** One limiter an account in this process, over the budget that every process shares. */
const limitersOver = ({ runtime }: ProviderLedgerParts): ((account: ProviderAccount) => AccountLimiter) => {
  const known = new Map<string, AccountLimiter>();
  return (account) => {
    const { organisationId, accountId } = account;
    const key = JSON.stringify([organisationId, providerOf(account), accountId]);
    const limiter =
      known.get(key) ??
      createAccountLimiter({
        clock: processClock,
        change: (kind, decide) =>
          runtime.inOrganisation(organisationId, (tx) => changeAccountBudget(tx, account, kind, decide)),
        // The answer said so to whoever asked; the worker slows every process down by itself.
        onTrouble: () => undefined,
      });
    known.set(key, limiter);
    return limiter;
  };
};

const notAsked = (because: string): PaymentAnswer => ({
  kind: 'no-answer',
  because,
  ourKeyRefused: false,
});

/** Why there is no answer, for people: what a library said stays out of it. */
const sentenceOf = (answer: Extract<PaymentAnswer, { kind: 'no-answer' }>, provider: string): string => {
  if (answer.because === 'no account') return 'There is no provider account here, so nobody can be asked.';
  if (answer.because === 'no payment') return 'It has no payment that could be asked about.';
  if (answer.notOffered === true) return `${provider} cannot list what was done on a payment.`;
  if (answer.ourKeyRefused) return `${provider} refuses our key, so its side cannot be seen.`;
  if (answer.paymentNotFound === true) return `${provider} says that it does not know this payment.`;
  if (answer.tooMany !== undefined || answer.because.startsWith('held back')) {
    return `${provider} takes no more questions from us for now. Ask again in a minute.`;
  }
  return `${provider} did not answer in time. Nothing follows from that.`;
};

type Holder = NonNullable<ProviderRefund['boundTo']>;

/** Who said of an operation that this reference is its own. A first word that still waits has bound nothing. */
const bindersOf = (resolution: ResolutionRecord | null, reference: string): readonly string[] =>
  resolution?.waiting === false && resolution.providerReference === reference
    ? [resolution.by, ...(resolution.second === undefined ? [] : [resolution.second.by])]
    : [];

/** Which operation holds each reference here, and by whose word. */
const holdersOf = async (
  tx: OrganisationTransaction,
  row: OperationRow,
  refunds: readonly { readonly reference: string }[],
): Promise<ReadonlyMap<string, Holder>> => {
  const holders = await tx.ask<{ reference: string; id: string; resolution: ResolutionRecord | null }>(
    `select provider_reference as reference, id, resolution from operations
      where org_id = $1 and provider = $2 and provider_reference = any($3::text[])`,
    [row.organisationId, row.provider, refunds.map(({ reference }) => reference)],
  );
  const people = holders.flatMap(({ reference, resolution }) => bindersOf(resolution, reference));
  const { nameOf } = await readNames(tx, people);
  return new Map(
    holders.map(({ reference, id, resolution }) => [
      reference,
      {
        operationId: id,
        by: bindersOf(resolution, reference).map((person) => ({ id: person, name: nameOf(person) })),
      },
    ]),
  );
};

/** The answer with whose each refund is. Where it shows the operation's own, the worker looks for itself. */
const showAnswer = (
  { runtime, providerName }: ProviderLedgerParts,
  account: ProviderAccount,
  row: OperationRow,
  answer: Extract<PaymentAnswer, { kind: 'answer' }>,
  mayWake: boolean,
): Promise<ProviderLedger['answer']> =>
  runtime.inOrganisation(row.organisationId, async (tx) => {
    const holders = await holdersOf(tx, row, answer.refunds);
    const refunds = viewOfLedger(answer.refunds, {
      organisationId: row.organisationId,
      operationId: row.id,
      holderOf: (named) => holders.get(named) ?? null,
      dashboardOf: (named) => dashboardLink(account, named),
    });
    const unsettled = row.state === 'outcome_unknown' || row.state === 'pending';
    if (mayWake && unsettled && refunds.some(({ whose }) => whose === 'this-operation')) {
      await requestCheck(tx, row.id, providerName);
      runtime.wakes.written(row.organisationId);
    }
    return {
      captured: answer.captured,
      refunds: [...refunds],
      disputes: answer.disputes.map(({ reference, amount, open, statusText }) => ({
        ...{ reference, amount, open, statusText },
      })),
    };
  });

/**
 * The provider's side of an operation's payment, asked when somebody looks, and no oftener than a check of it may be asked
 * for: between, the answer of then is shown with its time, unless the operation has changed since. It shows and never concludes: where it shows
 * the operation's own refund, the worker is woken to look for itself, and what it finds is kept as evidence.
 */
export const createProviderLedger = (parts: ProviderLedgerParts): Engine['providerLedger'] => {
  const { runtime, providers, providerName, providerTimeoutMs, nowMs } = parts;
  const { askAboutPayment } = questionsWithinBudget(
    limitersOver(parts),
    (ms) => nowMs() + ms,
    providerTimeoutMs,
  );
  const recently = recentAnswers<PaymentAnswer>(shortestPauseMs, nowMs);
  const ask = (
    account: ProviderAccount | undefined,
    { organisationId, id, version, paymentReference }: OperationRow,
  ): Promise<Dated<PaymentAnswer>> => {
    if (account === undefined || paymentReference === null) {
      const answer = notAsked(account === undefined ? 'no account' : 'no payment');
      return Promise.resolve({ answer, askedAtMs: nowMs() });
    }
    return recently(JSON.stringify([organisationId, id, version]), () =>
      askAboutPayment(account, paymentReference),
    );
  };
  return async (who, id, { inPlace, mayWake }: LedgerAsking): Promise<ProviderLedger | null> => {
    const operationId = parseOperationId(id);
    if (operationId === undefined) return null;
    const { organisationId } = who;
    const row = await inPlace(() =>
      runtime.inOrganisation(organisationId, (tx) => readOperation(tx, operationId)),
    );
    if (row === undefined) return null;
    const account = providers.accountOf(organisationId);
    const reference = row.paymentReference;
    const provider = providerName(row.provider);
    // Outside any transaction: whoever waits for a provider holds nothing here.
    const { answer, askedAtMs } = await ask(account, row);
    const about = {
      askedAt: new Date(askedAtMs).toISOString(),
      provider,
      paymentReference: reference,
      dashboard: account === undefined ? null : dashboardLink(account, reference),
    };
    if (answer.kind === 'no-answer' || account === undefined) {
      const because = answer.kind === 'no-answer' ? sentenceOf(answer, provider) : null;
      return { ...about, answer: null, because };
    }
    return {
      ...about,
      answer: await inPlace(() => showAnswer(parts, account, row, answer, mayWake)),
      because: null,
    };
  };
};
