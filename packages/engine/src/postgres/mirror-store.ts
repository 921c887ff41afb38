import { and, eq, inArray, sql } from 'drizzle-orm';
import type { MirroredDispute, MirroredRefund } from '@holdfast/providers';
import type { ProviderAccount } from '../engine-interface.ts';
import type { SeenAtProvider } from '../mirror/seen-at-provider.ts';
import { whoseRefund } from '../mirror/whose-refund.ts';
import { lockPayment } from './change-operation.ts';
import type { OrganisationTransaction } from './connection.ts';
import { count } from './counted-store.ts';
import { touchOrdersOfPayment } from './feed-writer.ts';
import { figuresOf, operationIdShape, providerOf, rowOfRefund } from './mirror-store-news.ts';
import { addObservation } from './observation-store.ts';
import { mirrorDisputes, mirrorRefunds, operations, payments, type PaymentRow } from './schema.ts';

/**
 * Takes what the provider's side showed into the mirror: refunds made elsewhere change their payment's figures at
 * once and are never refused, disputes mark it, and our own refunds become evidence of the operations they name.
 * @returns operations that have new evidence
 */
export const absorbSeen = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  seen: SeenAtProvider,
): Promise<readonly string[]> => {
  const provider = providerOf(account);
  const known = await lockPaymentsOf(tx, provider, seen);
  const refunds = seen.refunds.map((refund) => ({
    ...refund,
    paymentReference: nameOfPayment(refund, known),
  }));
  const disputes = seen.disputes.map((dispute) => ({
    ...dispute,
    paymentReference: nameOfPayment(dispute, known),
  }));
  const touched = new Set<string>();
  for (const refund of refunds) {
    const before = await mirrorRefund(tx, provider, refund);
    if (before === 'unchanged') continue;
    const owner = whoseRefund(refund, tx.organisationId);
    if (owner.kind === 'ours') {
      if (await becomesEvidence(tx, owner.operationId, refund, seen.source)) touched.add(owner.operationId);
    } else if (
      before === 'new' &&
      known.has(refund.paymentReference) &&
      !(await isHeldHere(tx, provider, refund))
    ) {
      count(tx, 'foreign_actions', null);
    }
  }
  for (const dispute of disputes) await mirrorDispute(tx, provider, dispute);
  for (const payment of known.values()) {
    await correctPayment(
      tx,
      payment,
      seen.askedPayment === payment.paymentReference ? seen.askedAtMs : undefined,
    );
  }
  return [...touched];
};

type NamesPayment = { readonly paymentReference: string; readonly chargeReference?: string | null };

/** A payment may be known here by the provider's second name for it. */
const nameOfPayment = (named: NamesPayment, known: ReadonlyMap<string, PaymentRow>): string => {
  if (known.has(named.paymentReference)) return named.paymentReference;
  const second = named.chargeReference;
  return second !== undefined && second !== null && known.has(second) ? second : named.paymentReference;
};

/** Payments first and in one order everywhere, or two batches would wait for each other. */
const lockPaymentsOf = async (
  tx: OrganisationTransaction,
  provider: string,
  seen: SeenAtProvider,
): Promise<ReadonlyMap<string, PaymentRow>> => {
  const names = new Set<string>();
  if (seen.askedPayment !== null) names.add(seen.askedPayment);
  for (const { paymentReference, chargeReference } of [...seen.refunds, ...seen.disputes]) {
    names.add(paymentReference);
    if (chargeReference !== undefined && chargeReference !== null) names.add(chargeReference);
  }
  const known = new Map<string, PaymentRow>();
  for (const name of [...names].sort()) {
    const payment = await lockPayment(tx, provider, name);
    if (payment !== undefined) known.set(name, payment);
  }
  return known;
};

const mirrorRefund = async (
  tx: OrganisationTransaction,
  provider: string,
  refund: MirroredRefund,
): Promise<'new' | 'changed' | 'unchanged'> => {
  const itself = and(
    eq(mirrorRefunds.organisationId, tx.organisationId),
    eq(mirrorRefunds.provider, provider),
    eq(mirrorRefunds.reference, refund.reference),
  );
  const figures = figuresOf(tx, refund);
  const inserted = await tx.db
    .insert(mirrorRefunds)
    .values(rowOfRefund(tx, provider, refund))
    .onConflictDoNothing()
    .returning({ reference: mirrorRefunds.reference });
  if (inserted.length > 0) return 'new';
  // A failure is never taken back by older news of a success that arrives after it.
  const changed = await tx.db
    .update(mirrorRefunds)
    .set(figures)
    .where(
      and(
        itself,
        sql`${mirrorRefunds.statusText} is distinct from ${refund.statusText}`,
        sql`${mirrorRefunds.status} <> 'failed'`,
        sql`not (${mirrorRefunds.status} = 'succeeded' and ${refund.status} = 'pending')`,
      ),
    )
    .returning({ reference: mirrorRefunds.reference });
  return changed.length > 0 ? 'changed' : 'unchanged';
};

const mirrorDispute = async (
  tx: OrganisationTransaction,
  provider: string,
  dispute: MirroredDispute,
): Promise<void> => {
  const figures = {
    paymentReference: dispute.paymentReference,
    amountMinor: dispute.amount.minor,
    currency: dispute.amount.currency,
    open: dispute.open,
    statusText: dispute.statusText,
    updatedAt: tx.now,
  };
  await tx.db
    .insert(mirrorDisputes)
    .values({
      organisationId: tx.organisationId,
      provider,
      reference: dispute.reference,
      ...figures,
      providerCreatedAt: new Date(dispute.createdAtMs),
      firstSeenAt: tx.now,
    })
    .onConflictDoUpdate({
      target: [mirrorDisputes.organisationId, mirrorDisputes.provider, mirrorDisputes.reference],
      set: figures,
      // A closed dispute stays closed when older news of it arrives late.
      setWhere: sql`${mirrorDisputes.open} and ${mirrorDisputes.statusText} is distinct from excluded.status_text`,
    });
};

/** A refund of ours is evidence of the operation it names, where there is one; else it stays unaccounted in the mirror. */
const becomesEvidence = async (
  tx: OrganisationTransaction,
  operationId: string,
  record: MirroredRefund,
  source: SeenAtProvider['source'],
): Promise<boolean> => {
  if (!operationIdShape.test(operationId)) return false;
  const [known] = await tx.db
    .select({ reference: operations.providerReference, status: operations.providerStatus })
    .from(operations)
    .where(and(eq(operations.organisationId, tx.organisationId), eq(operations.id, operationId)));
  if (known === undefined) return false;
  // What its record says already is no news: most refunds of ours are first seen in the answer to their request.
  if (known.reference === record.reference && known.status === record.statusText) return false;
  // An event's record was kept under the event's own ID already.
  if (source === 'webhook') return true;
  return addObservation(tx, { operationId, source, finding: { kind: 'found', record } });
};

/** Whether people took this refund, though made elsewhere, for an operation of its payment. */
const isHeldHere = async (
  tx: OrganisationTransaction,
  provider: string,
  refund: MirroredRefund,
): Promise<boolean> => {
  const held = await tx.db
    .select({ id: operations.id })
    .from(operations)
    .where(
      and(
        eq(operations.organisationId, tx.organisationId),
        eq(operations.provider, provider),
        eq(operations.providerReference, refund.reference),
        eq(operations.paymentReference, refund.paymentReference),
      ),
    )
    .limit(1);
  return held.length > 0;
};

/**
 * Brings the figures that the provider's side decides to what the mirror holds: a fact, whatever it overdraws. What
 * an operation of the payment holds counts there and not as elsewhere. A remembered cancellation knows no payment, so
 * what was refunded under its ID all the same can count nowhere else. The caller holds the payment's lock.
 * `asked`: the payment's whole side was read just now.
 */
export const correctPayment = async (
  tx: OrganisationTransaction,
  payment: PaymentRow,
  askedAtMs?: number,
): Promise<void> => {
  const { organisationId, provider, paymentReference } = payment;
  const [sums] = await tx.db
    .select({
      elsewhere: sql<string>`coalesce(sum(${mirrorRefunds.amountMinor}) filter (
        where ${mirrorRefunds.status} <> 'failed' and ${mirrorRefunds.currency} = ${payment.currency}
          and (${mirrorRefunds.metadataOrganisationId} is distinct from ${organisationId}
            or ${mirrorRefunds.metadataOperationId} is null
            or exists (select from operations bare
              where bare.org_id = ${organisationId} and bare.payment_reference is null
                and bare.id = case when lower(${mirrorRefunds.metadataOperationId}) ~ ${operationIdShape.source}
                  then ${mirrorRefunds.metadataOperationId}::uuid end))
          and not exists (select from operations holder
            where holder.org_id = ${organisationId} and holder.provider = ${provider}
              and holder.payment_reference = ${paymentReference}
              and holder.provider_reference = mirror_refunds.reference)), 0)::text`,
    })
    .from(mirrorRefunds)
    .where(
      and(
        eq(mirrorRefunds.organisationId, organisationId),
        eq(mirrorRefunds.provider, provider),
        eq(mirrorRefunds.paymentReference, paymentReference),
      ),
    );
  const open = await tx.db
    .select({ reference: mirrorDisputes.reference })
    .from(mirrorDisputes)
    .where(
      and(
        eq(mirrorDisputes.organisationId, organisationId),
        eq(mirrorDisputes.provider, provider),
        inArray(mirrorDisputes.paymentReference, [paymentReference]),
        eq(mirrorDisputes.open, true),
      ),
    )
    .limit(1);
  const refundedElsewhere = Number(sums?.elsewhere ?? 0);
  const disputed = open.length > 0;
  const differs = refundedElsewhere !== payment.refundedElsewhere || disputed !== payment.disputed;
  const askedLater = askedAtMs !== undefined && askedAtMs > (payment.askedAt?.getTime() ?? -Infinity);
  if (!differs && !askedLater) return;
  await tx.db
    .update(payments)
    .set({
      ...(differs ? { refundedElsewhere, disputed, updatedAt: tx.now } : {}),
      ...(askedLater ? { askedAt: new Date(askedAtMs) } : {}),
    })
    .where(
      and(
        eq(payments.organisationId, organisationId),
        eq(payments.provider, provider),
        eq(payments.paymentReference, paymentReference),
      ),
    );
  if (differs) touchOrdersOfPayment(tx, provider, paymentReference);
};
