import {
  dayBounds,
  limitedSpans,
  type Amount,
  type LimitAct,
  type LimitSubject,
  type LimitUse,
  type Policy,
} from '@holdfast/operation';
import type { OrganisationTransaction } from './connection.ts';

/** One act under a limit: a proposal or an approval of an operation, at its time. */
export type LimitedAct = LimitSubject & {
  readonly operationId: string;
  readonly amount: Amount;
  readonly provider: string;
  readonly paymentReference: string;
  readonly at: Date;
};

// What ended without any money moving takes nothing of a limit, nor does an approval that was taken back or is void. One
// that came back (reversed) does: it was carried out.
const counts = `o.currency = $3 and o.id <> $4::uuid and o.state not in ('denied', 'cancelled', 'expired', 'failed')`;
const sum = 'select coalesce(sum(o.amount_minor), 0)::text as used from';
const onPayment = 'o.provider = $5 and o.payment_reference = $6';
// By instant and ID, so that of several at once each is before or after each other. None: whatever there is.
const earlier = (at: string, before: string): string =>
  `(${before}::timestamptz is null or (${at}, o.id) < (${before}::timestamptz, $4::uuid))`;
const approvedBy = (when: string): string => `exists (select from approvals a
    where a.org_id = o.org_id and a.operation_id = o.id and a.person = $2 and a.voided_at is null and ${when})`;

/** Constant texts, so that each plan is kept. */
const texts: Readonly<Record<LimitAct, { readonly payment: string; readonly day: string }>> = {
  propose: {
    payment: `${sum} operations o where o.org_id = $1 and o.proposed_person = $2 and ${counts} and ${onPayment}
      and ${earlier('o.created_at', '$7')}`,
    day: `${sum} operations o where o.org_id = $1 and o.proposed_person = $2 and ${counts}
      and o.created_at >= $5::timestamptz and o.created_at < $6::timestamptz and ${earlier('o.created_at', '$7')}`,
  },
  approve: {
    payment: `${sum} operations o where o.org_id = $1 and ${counts} and ${onPayment}
      and ${approvedBy(earlier('a.approved_at', '$7'))}`,
    day: `${sum} (select distinct a.operation_id from approvals a where a.org_id = $1 and a.person = $2
        and a.voided_at is null and a.approved_at >= $5::timestamptz and a.approved_at < $6::timestamptz) given
      join operations o on o.org_id = $1 and o.id = given.operation_id
      where ${counts} and ${approvedBy(earlier('a.approved_at', '$7'))}`,
  },
};

/**
 * What somebody used of their limits besides this act: asked for only where a limit over that span is theirs.
 * `only-earlier`: what they did later does not count, as when an act is judged again.
 */
export const readUse = async (
  tx: OrganisationTransaction,
  policy: Policy,
  limited: LimitedAct,
  counting: 'everything' | 'only-earlier',
): Promise<LimitUse> => {
  const { act, person, role, amount } = limited;
  const spans = limitedSpans(policy, limited);
  const before = counting === 'everything' ? null : limited.at.toISOString();
  const used = async (span: 'payment' | 'day', from: string, to: string): Promise<number> => {
    if (!spans.includes(span)) return 0;
    const about = [tx.organisationId, person, amount.currency, limited.operationId];
    const [row] = await tx.ask<{ used: string }>(texts[act][span], [...about, from, to, before]);
    return Number(row?.used);
  };
  const day = spans.includes('day') ? dayBounds(limited.at.getTime(), policy.timeZone) : null;
  const iso = (atMs: number | undefined): string => new Date(atMs ?? 0).toISOString();
  return {
    ...{ act, person, role, amount },
    onPaymentMinor: await used('payment', limited.provider, limited.paymentReference),
    onDayMinor: await used('day', iso(day?.startMs), iso(day?.endMs)),
  };
};

/**
 * Those whose day is added up wait for one another, so that none adds up what another is about to add. Taken after the
 * payments, in one order, and held until the transaction ends.
 */
export const lockDays = async (
  tx: OrganisationTransaction,
  policy: Policy,
  subjects: readonly LimitSubject[],
): Promise<void> => {
  const limited = subjects.filter((subject) => limitedSpans(policy, subject).includes('day'));
  for (const person of [...new Set(limited.map((subject) => subject.person))].toSorted()) {
    await tx.ask('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      JSON.stringify([tx.organisationId, 'limits a day', person]),
    ]);
  }
};
