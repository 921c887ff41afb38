import type { LiveQuery, SeenOperation } from '@holdfast/outbox';
import { deviceStates, operationStates, type ShownState } from '@holdfast/operation';

export const sortColumns = ['amount', 'state', 'updated'] as const;
export type SortColumn = (typeof sortColumns)[number];

/** What the list shows. It stands in the address, so that a link shows the same list to a colleague. */
export type OperationFilters = {
  readonly text: string;
  readonly state: ShownState | null;
  readonly needsPerson: boolean;
  readonly sort: SortColumn;
  readonly descending: boolean;
};

const shownStates: readonly ShownState[] = [...deviceStates, ...operationStates];

export const readFilters = (search: URLSearchParams): OperationFilters => ({
  text: search.get('q') ?? '',
  state: shownStates.find((state) => state === search.get('state')) ?? null,
  needsPerson: search.get('needsPerson') === 'true',
  sort: sortColumns.find((column) => column === search.get('sort')) ?? 'updated',
  descending: search.get('order') !== 'ascending',
});

/** Only what differs from the plain list, so that addresses stay short. */
export const writeFilters = (filters: OperationFilters): string => {
  const search = new URLSearchParams();
  if (filters.text.trim() !== '') search.set('q', filters.text);
  if (filters.state !== null) search.set('state', filters.state);
  if (filters.needsPerson) search.set('needsPerson', 'true');
  if (filters.sort !== 'updated') search.set('sort', filters.sort);
  if (!filters.descending) search.set('order', 'ascending');
  return search.toString();
};

/** The same list as the server is asked for it. What is on this device alone it does not have. */
export const exportQuery = (
  filters: OperationFilters,
  wish: { readonly format: 'csv' | 'ndjson'; readonly timeZone: string },
): string => {
  const search = new URLSearchParams();
  const state = operationStates.find((known) => known === filters.state);
  if (filters.text.trim() !== '') search.set('q', filters.text.trim());
  if (state !== undefined) search.set('state', state);
  if (filters.needsPerson) search.set('needsPerson', 'true');
  search.set('format', wish.format);
  search.set('timeZone', wish.timeZone);
  return search.toString();
};

/** More than this is found with a filter, not by reading on. */
const longestList = 5_000;

export const queryOf = (filters: OperationFilters): LiveQuery & { of: 'operations' } => ({
  of: 'operations',
  limit: longestList,
  ...(filters.text.trim() === '' ? {} : { text: filters.text.trim() }),
  ...(filters.state === null ? {} : { states: [filters.state] }),
  ...(filters.needsPerson ? { needsPerson: true } : {}),
});

const amountOf = (seen: SeenOperation): { minor: number; currency: string } =>
  seen.synced?.amount ?? seen.proposal?.amount ?? { minor: 0, currency: '' };

/** Amounts of different currencies are never compared: they are grouped by currency first. */
const byAmount = (one: SeenOperation, other: SeenOperation): number => {
  const [a, b] = [amountOf(one), amountOf(other)];
  return a.currency === b.currency ? a.minor - b.minor : a.currency.localeCompare(b.currency);
};

const byState = (one: SeenOperation, other: SeenOperation): number =>
  shownStates.indexOf(one.shownState) - shownStates.indexOf(other.shownState);

const byTime = (one: SeenOperation, other: SeenOperation): number =>
  (one.synced?.updatedAt ?? '~').localeCompare(other.synced?.updatedAt ?? '~');

const comparisons: Record<SortColumn, (one: SeenOperation, other: SeenOperation) => number> = {
  amount: byAmount,
  state: byState,
  updated: byTime,
};

/** An outcome that is not known, or that needs a person: never below one that is settled. */
const isUncertain = ({ synced }: SeenOperation): boolean =>
  synced !== null && (synced.needsPerson || synced.state === 'outcome_unknown');

export const sortOperations = (
  list: readonly SeenOperation[],
  { sort, descending }: Pick<OperationFilters, 'sort' | 'descending'>,
): readonly SeenOperation[] => {
  const compare = comparisons[sort];
  const direction = descending ? -1 : 1;
  return list.toSorted(
    (one, other) =>
      Number(isUncertain(other)) - Number(isUncertain(one)) ||
      direction * compare(one, other) ||
      one.operationId.localeCompare(other.operationId),
  );
};
