import { crashPoint } from '#crash-point';
import { randomUUID } from 'node:crypto';
import { parseOperationId, type LookupResponse } from '@holdfast/operation';
import type { Engine, ProviderDirectory } from '../engine-interface.ts';
import type { VerifyAssertion } from '../intake/approval-signature.ts';
import { unitsFor } from '../intake/judge-provider-money.ts';
import { receiveWebhook } from '../webhook/receive-webhook.ts';
import { createCaseDesk } from './case-desk.ts';
import { requestCheck } from './check-request.ts';
import { eraseConversation } from './conversation-store.ts';
import { createFeed } from './feed.ts';
import { readOrder } from './intake-facts.ts';
import { createHoldDesk } from './hold-desk.ts';
import { readPendingTimes } from './pending-times.ts';
import { createIntake } from './intake.ts';
import { readMetrics } from './metrics-reader.ts';
import { readNumbers } from './numbers-reader.ts';
import { readOperations, viewOperations, type ProviderNames } from './operation-reader.ts';
import { findOperations, readDetail } from './operation-search.ts';
import { findOrders, viewOrders } from './order-reader.ts';
import { putOrder } from './order-store.ts';
import { createPolicyDesk } from './policy-desk.ts';
import { createProviderLedger } from './provider-ledger.ts';
import { createOrganisation } from './organisation-store.ts';
import type { Runtime } from './runtime.ts';
import { findTickets, readTicketsByIds, viewTickets } from './ticket-reader.ts';
import { putTicket } from './ticket-store.ts';
import { storeEvent } from './webhook-store.ts';

export type CreateEngineOptions = {
  readonly runtime: Runtime;
  readonly providers: ProviderDirectory;
  /** Whether API keys of approvers and operators may approve, deny and settle. */
  readonly keysMayDecide: boolean;
  /** How assertions of approvals are verified; without it none is good. */
  readonly verifyAssertion?: VerifyAssertion;
  readonly undoMs: number;
  readonly providerTimeoutMs: number;
  /** This process's clock, for deadlines of questions to providers. Milliseconds since the epoch. */
  readonly nowMs?: () => number;
  /** Names organisations and generations of history: any text that was never used before. */
  readonly mintId?: () => string;
};

/** The engine over one PostgreSQL. */
export const createEngine = (options: CreateEngineOptions): Engine => {
  const { runtime, providers } = options;
  const { inOrganisation, connection, wakes } = runtime;
  const nowMs = options.nowMs ?? (() => Date.now());
  const mintId = options.mintId ?? randomUUID;
  const providerName = namesOfProviders(providers);
  return {
    apply: createIntake({
      inOrganisation,
      providers,
      providerName,
      rules: { keysMayDecide: options.keysMayDecide },
      verifyAssertion: options.verifyAssertion,
      undoMs: options.undoMs,
      providerTimeoutMs: options.providerTimeoutMs,
      nowMs,
    }),
    ...operationQueries(runtime, providerName),
    ...catalogue(options, providerName),
    cases: createCaseDesk(runtime, providerName),
    providerLedger: createProviderLedger({
      runtime,
      providers,
      providerName,
      providerTimeoutMs: options.providerTimeoutMs,
      nowMs,
    }),
    feed: createFeed({ connection, inOrganisation, wakes, providerName, mintGeneration: mintId }),
    receiveWebhook: (rawBody, signatureHeader) =>
      receiveWebhook(
        {
          providers,
          // Signatures age by this process's clock; its skew to the provider's is measured and shown.
          nowMs: () => Promise.resolve(nowMs()),
          store: async (account, event, body, skewMs) => {
            const raw = new TextDecoder().decode(body);
            const stored = await inOrganisation(account.organisationId, (tx) =>
              storeEvent(tx, account, event, raw, skewMs),
            );
            crashPoint('after-event-stored-before-answer');
            wakes.written(account.organisationId);
            return stored;
          },
        },
        rawBody,
        signatureHeader,
      ),
    metrics: (organisationId) => inOrganisation(organisationId, readMetrics),
    numbers: (organisationId, asked) => readNumbers(inOrganisation, organisationId, asked),
    pendingTimes: async (organisationId) => {
      const account = providers.accountOf(organisationId);
      if (account === undefined) return { items: [] };
      return inOrganisation(organisationId, (tx) => readPendingTimes(tx, account));
    },
    hold: createHoldDesk(runtime),
    policy: createPolicyDesk(runtime),
    createOrganisation: async (name) => {
      const id = mintId();
      await createOrganisation(inOrganisation, id, mintId(), name);
      return { id };
    },
  };
};

const namesOfProviders =
  (providers: ProviderDirectory): ProviderNames =>
  (provider) =>
    // One provider so far; its contract carries what people call it.
    providers.accounts()[0]?.adapter.contract.displayName ??
    (provider === 'stripe' ? 'Stripe' : (provider ?? ''));

const operationQueries = (
  { inOrganisation, wakes }: Runtime,
  providerName: ProviderNames,
): Pick<Engine, 'getOperation' | 'listOperations' | 'lookUp' | 'check' | 'eraseConversation'> => ({
  getOperation: async (who, id) => {
    const operationId = parseOperationId(id);
    if (operationId === undefined) return null;
    return inOrganisation(who.organisationId, (tx) =>
      readDetail(tx, operationId, who.actor.role, providerName),
    );
  },
  eraseConversation: async (who, id) => {
    const operationId = parseOperationId(id);
    if (operationId === undefined) return false;
    return inOrganisation(who.organisationId, (tx) => eraseConversation(tx, who, operationId));
  },
  listOperations: (who, filter) =>
    inOrganisation(who.organisationId, (tx) => findOperations(tx, filter, providerName)),
  lookUp: (who, ids) =>
    inOrganisation(who.organisationId, async (tx): Promise<LookupResponse> => {
      const asked = ids.map((id) => [id, parseOperationId(id)] as const);
      const known = asked.flatMap(([, id]) => (id === undefined ? [] : [id]));
      const views = await viewOperations(tx, await readOperations(tx, known), providerName);
      const byId = new Map(views.map((view) => [view.id, view]));
      return {
        operations: Object.fromEntries(
          asked.map(([given, id]) => [given, id === undefined ? null : (byId.get(id) ?? null)]),
        ),
      };
    }),
  check: async (who, id) => {
    const operationId = parseOperationId(id);
    if (operationId === undefined) return { kind: 'not-found' };
    const answer = await inOrganisation(who.organisationId, (tx) =>
      requestCheck(tx, operationId, providerName),
    );
    if (answer.kind === 'scheduled') wakes.written(who.organisationId);
    return answer;
  },
});

const catalogue = (
  { runtime: { inOrganisation }, providers }: CreateEngineOptions,
  providerName: ProviderNames,
): Pick<Engine, 'getOrder' | 'searchOrders' | 'putOrder' | 'getTicket' | 'searchTickets' | 'putTicket'> => ({
  getOrder: (who, id) =>
    inOrganisation(who.organisationId, async (tx) => {
      const row = await readOrder(tx, id);
      const [order] = row === undefined ? [] : await viewOrders(tx, [row]);
      if (order === undefined) return null;
      const rows = await readOperations(tx, order.operationIds);
      const views = await viewOperations(tx, rows, providerName);
      const inOrder = order.operationIds.flatMap((operationId) =>
        views.filter((view) => view.id === operationId),
      );
      return { ...order, operations: inOrder };
    }),
  searchOrders: (who, text, cursor, limit) =>
    inOrganisation(who.organisationId, (tx) => findOrders(tx, text, cursor, limit)),
  putOrder: (who, id, input) =>
    inOrganisation(who.organisationId, (tx) =>
      putOrder(
        tx,
        id,
        input,
        providers.accountOf(who.organisationId)?.accountId ?? null,
        unitsFor(providers, who.organisationId),
      ),
    ),
  getTicket: (who, id) =>
    inOrganisation(who.organisationId, async (tx) => {
      const [ticket] = await viewTickets(tx, await readTicketsByIds(tx, [id]), providerName);
      return ticket ?? null;
    }),
  searchTickets: (who, text, cursor, limit) =>
    inOrganisation(who.organisationId, (tx) => findTickets(tx, text, cursor, limit, providerName)),
  putTicket: (who, id, input) =>
    inOrganisation(who.organisationId, (tx) => putTicket(tx, id, input, providerName)),
});
