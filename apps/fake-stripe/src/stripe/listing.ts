import { type Parameters, outerName } from './parameters.ts';
import { invalidRequest, missingResource, type Refusal, unknownParameter } from './refusal.ts';

export interface Page<Item> {
  object: 'list';
  data: Item[];
  has_more: boolean;
  url: string;
}

export interface Listed {
  id: string;
  created: number;
}

export interface ListingRules {
  kind: string;
  url: string;
  /** Names allowed beside Stripe's paging and `created`. */
  filters: readonly string[];
}

const pagingNames = ['limit', 'starting_after', 'ending_before', 'created', 'expand'];
const defaultLimit = 10;
const largestLimit = 100;

/**
 * One page of `newestFirst`. `keep` is the caller's own filter. A cursor may point at an item that the filter
 * leaves out, as at Stripe: it only says where to go on.
 */
export function listPage<Item extends Listed>(
  newestFirst: readonly Item[],
  parameters: Parameters,
  rules: ListingRules,
  keep: (item: Item) => boolean,
): Page<Item> | { refusal: Refusal } {
  const refusal = judgeListing(parameters, rules);
  if (refusal !== null) return { refusal };
  const after = parameters.get('starting_after');
  const before = parameters.get('ending_before');
  const cursor = after ?? before;
  const position = newestFirst.findIndex(({ id }) => id === cursor);
  if (cursor !== undefined && position === -1) {
    const param = after === undefined ? 'ending_before' : 'starting_after';
    return { refusal: { ...missingResource(rules.kind, cursor, param), status: 400 } };
  }
  const limit = Number(parameters.get('limit') ?? defaultLimit);
  const wanted = (item: Item) => insideCreated(item.created, parameters) && keep(item);
  if (before !== undefined) {
    const newer = newestFirst.slice(0, position).filter(wanted);
    const data = newer.slice(Math.max(0, newer.length - limit));
    return { object: 'list', data, has_more: newer.length > limit, url: rules.url };
  }
  const older = newestFirst.slice(after === undefined ? 0 : position + 1).filter(wanted);
  return { object: 'list', data: older.slice(0, limit), has_more: older.length > limit, url: rules.url };
}

function judgeListing(parameters: Parameters, rules: ListingRules): Refusal | null {
  for (const [name, value] of parameters) {
    const outer = outerName(name);
    if (!pagingNames.includes(outer) && !rules.filters.includes(outer)) return unknownParameter(outer);
    if (outer === 'created' && !/^created(\[(gt|gte|lt|lte)\])?$/.test(name)) return unknownParameter(name);
    if (outer === 'created' && !/^\d+$/.test(value)) {
      return invalidRequest(`Invalid integer: ${value}`, { param: name, code: 'parameter_invalid_integer' });
    }
  }
  const limit = parameters.get('limit');
  if (limit !== undefined && !(/^\d+$/.test(limit) && Number(limit) >= 1 && Number(limit) <= largestLimit)) {
    return invalidRequest(`Invalid limit: must be between 1 and ${largestLimit}`, { param: 'limit' });
  }
  if (parameters.has('starting_after') && parameters.has('ending_before')) {
    return invalidRequest('You can only specify one of these parameters: starting_after, ending_before.');
  }
  return null;
}

function insideCreated(created: number, parameters: Parameters): boolean {
  const bound = (name: string) => {
    const text = parameters.get(name);
    return text === undefined ? null : Number(text);
  };
  const [exact, above, from] = [bound('created'), bound('created[gt]'), bound('created[gte]')];
  const [below, to] = [bound('created[lt]'), bound('created[lte]')];
  return (
    (exact === null || created === exact) &&
    (above === null || created > above) &&
    (from === null || created >= from) &&
    (below === null || created < below) &&
    (to === null || created <= to)
  );
}
