export const filterNames = ['who', 'type', 'operation', 'order', 'from', 'to'] as const;
export type AuditFilterName = (typeof filterNames)[number];
/** As they stand in the address; days as 2026-01-31. */
export type AuditFilters = Readonly<Record<AuditFilterName, string>>;

export const readAuditFilters = (search: URLSearchParams): AuditFilters => ({
  who: search.get('who') ?? '',
  type: search.get('type') ?? '',
  operation: search.get('operation') ?? '',
  order: search.get('order') ?? '',
  from: search.get('from') ?? '',
  to: search.get('to') ?? '',
});

/** Only what is set. */
export const writeAuditFilters = (filters: AuditFilters): string => {
  const search = new URLSearchParams();
  for (const name of filterNames) {
    const value = filters[name].trim();
    if (value !== '') search.set(name, value);
  }
  return search.toString();
};

const day = /^(\d{4})-(\d{2})-(\d{2})$/;

/** When a day begins on this device, `later` days on: a day of 23 or 25 hours is a day. */
const beginOf = (text: string, later: number): string | null => {
  const [, year, month, date] = day.exec(text) ?? [];
  if (year === undefined) return null;
  const begins = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return Number.isNaN(begins.getTime()) ? null : begins.toISOString();
};

/** As the server is asked. The last day counts whole. */
export const auditQuery = (filters: AuditFilters): URLSearchParams => {
  const search = new URLSearchParams(writeAuditFilters({ ...filters, from: '', to: '' }));
  const from = beginOf(filters.from, 0);
  const to = beginOf(filters.to, 1);
  if (from !== null) search.set('from', from);
  if (to !== null) search.set('to', to);
  return search;
};

export type AuditItem = {
  readonly at: string;
  readonly chain: string;
  readonly chainName: string | null;
  readonly sequence: number;
  readonly type: string;
  readonly by: { readonly id: string; readonly name: string } | null;
  readonly operationId: string | null;
  readonly orderId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
};
export type AuditPage = { readonly items: readonly AuditItem[]; readonly nextCursor: string | null };

export const readAuditPage = (body: unknown): AuditPage => {
  const page = body as AuditPage;
  if (!Array.isArray(page.items)) throw new Error('a page of the audit was expected');
  return page;
};

export type SealState = {
  readonly seals: readonly { readonly number: number; readonly at: string }[];
  readonly newestHolds: boolean | null;
  readonly verified: { readonly at: string; readonly clean: boolean; readonly faults: number } | null;
};

export const readSealState = (body: unknown): SealState => {
  const state = body as SealState;
  if (!Array.isArray(state.seals)) throw new Error('seals were expected');
  return state;
};
