export type StripeRefund = {
  readonly id: string;
  readonly object: 'refund';
  readonly amount: number;
  readonly currency: string;
  readonly payment_intent: string;
  readonly charge: null;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly status: 'succeeded';
  readonly metadata: Readonly<Record<string, string>>;
};

export type LedgerSummary = {
  readonly refunds: number;
  /** Refunds beyond the first one of an operation. */
  readonly duplicates: number;
  /** Requests that were answered from memory because their key had been seen. */
  readonly replays: number;
};

type ListOf<Answer> = (data: readonly StripeRefund[], hasMore: boolean) => Answer;

export type Ledger = {
  readonly create: (
    key: string,
    form: URLSearchParams,
  ) => { readonly refund: StripeRefund; readonly replayed: boolean };
  readonly byId: (id: string) => StripeRefund | undefined;
  readonly ofPayment: (payment: string) => readonly StripeRefund[];
  /** One page of what was made at or after `since` (seconds), newest first, as Stripe lists. */
  readonly pageSince: <Answer>(since: number, query: URLSearchParams, listOf: ListOf<Answer>) => Answer;
  readonly summary: () => LedgerSummary;
};

const metadataOf = (form: URLSearchParams): Record<string, string> => {
  const metadata: Record<string, string> = {};
  for (const [name, value] of form) {
    const [, key] = /^metadata\[(.+)\]$/.exec(name) ?? [];
    if (key !== undefined) metadata[key] = value;
  }
  return metadata;
};

export const openLedger = (nowMs: () => number = Date.now): Ledger => {
  const all: StripeRefund[] = [];
  const places = new Map<string, number>();
  const byKey = new Map<string, StripeRefund>();
  const byPayment = new Map<string, StripeRefund[]>();
  const operations = new Set<string>();
  let duplicates = 0;
  let replays = 0;

  const countOf = (metadata: Readonly<Record<string, string>>): void => {
    const operation = metadata['holdfast_operation'] ?? '';
    if (operations.has(operation)) duplicates += 1;
    operations.add(operation);
  };

  return {
    create: (key, form) => {
      const known = byKey.get(key);
      if (known !== undefined) {
        replays += 1;
        return { refund: known, replayed: true };
      }
      const payment = form.get('payment_intent') ?? '';
      const refund: StripeRefund = {
        id: `re_bench_${String(all.length + 1)}`,
        object: 'refund',
        amount: Number(form.get('amount') ?? '0'),
        currency: 'eur',
        payment_intent: payment,
        charge: null,
        created: Math.floor(nowMs() / 1000),
        status: 'succeeded',
        metadata: metadataOf(form),
      };
      countOf(refund.metadata);
      places.set(refund.id, all.length);
      all.push(refund);
      byKey.set(key, refund);
      byPayment.set(payment, [refund, ...(byPayment.get(payment) ?? [])]);
      return { refund, replayed: false };
    },
    byId: (id) => all[places.get(id) ?? -1],
    ofPayment: (payment) => byPayment.get(payment) ?? [],
    pageSince: (since, query, listOf) => {
      const limit = Number(query.get('limit') ?? '10');
      const after = query.get('starting_after');
      let place = after === null ? all.length - 1 : (places.get(after) ?? 0) - 1;
      const page: StripeRefund[] = [];
      for (let refund = all[place]; refund !== undefined && refund.created >= since; refund = all[place]) {
        if (page.length === limit) return listOf(page, true);
        page.push(refund);
        place -= 1;
      }
      return listOf(page, false);
    },
    summary: () => ({ refunds: all.length, duplicates, replays }),
  };
};
