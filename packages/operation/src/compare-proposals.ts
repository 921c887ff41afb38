import type { Amount } from './amount.ts';
import { canonicalJson, type JsonValue } from './canonical-json.ts';
import { inOneOrder } from './fingerprint.ts';

/** What a proposal says. `differentFrom` is not part of it: it argues, it does not describe. */
export type ProposalContent = {
  readonly kind: 'refund';
  readonly orderId: string | null;
  readonly amount: Amount | null;
  readonly reason: string | null;
  readonly lines?: readonly { readonly sku: string; readonly quantity: number }[] | null | undefined;
  readonly returnId?: string | null | undefined;
  readonly note?: string | null | undefined;
  readonly ticketId?: string | null | undefined;
  readonly replaces?: string | null | undefined;
};

export type ProposalComparison = {
  readonly same: boolean;
  /** Only the fields that differ, with what each side says; `null` where a side does not say. */
  readonly recorded: Readonly<Record<string, unknown>>;
  readonly received: Readonly<Record<string, unknown>>;
};

/**
 * Whether a proposal received under a known ID says what was recorded. Neither the order of JSON members nor of
 * lines matters, and an absent field, `null` and an empty list of lines say the same.
 */
export const compareProposals = (
  recorded: ProposalContent,
  received: ProposalContent,
): ProposalComparison => {
  const [was, is] = [contentOf(recorded), contentOf(received)];
  const differing = Object.keys(was).filter(
    (field) => canonicalJson(was[field] ?? null) !== canonicalJson(is[field] ?? null),
  );
  const only = (content: Content): Readonly<Record<string, unknown>> =>
    Object.fromEntries(differing.map((field) => [field, content[field] ?? null]));
  return { same: differing.length === 0, recorded: only(was), received: only(is) };
};

type Content = Readonly<Record<string, JsonValue>>;

const contentOf = (proposal: ProposalContent): Content => ({
  kind: proposal.kind,
  orderId: proposal.orderId,
  amount: proposal.amount && { minor: proposal.amount.minor, currency: proposal.amount.currency },
  reason: proposal.reason,
  lines: inOneOrder(proposal.lines ?? []),
  returnId: proposal.returnId ?? null,
  note: proposal.note ?? null,
  ticketId: proposal.ticketId ?? null,
  replaces: proposal.replaces?.toLowerCase() ?? null,
});
