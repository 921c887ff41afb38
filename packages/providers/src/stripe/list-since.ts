import type {
  EventPageAnswer,
  FetchedEvent,
  ListingAnswer,
  MirroredDispute,
  MirroredRefund,
  NoAnswer,
  RefundPageAnswer,
  VerifiedEvent,
} from '../provider-adapter.ts';
import { askForList, askForPage, noAnswer, type WholeList } from './ask-stripe.ts';
import type { StripeAccess } from './stripe-call.ts';
import { readEvent } from './stripe-event.ts';
import { readDispute, readRefund } from './stripe-records.ts';

/** A list of refunds made since then does not show an older refund that fails now; the events about it do. */
const eventTypes = [
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
];

type Part<Item> =
  { readonly kind: 'part'; readonly items: readonly Item[]; readonly dateMs: number | null } | NoAnswer;

const partOf = <Item>(list: WholeList<Item>, name: string, mayBeMissing: boolean): Part<Item> => {
  switch (list.kind) {
    case 'whole':
      return { kind: 'part', items: list.items, dateMs: list.providerDateMs };
    case 'not-found':
      return mayBeMissing ? { kind: 'part', items: [], dateMs: null } : noAnswer(`${name}: answer 404`);
    case 'no-answer':
      return noAnswer(`${name}: ${list.because}`, list.ourKeyRefused, list.tooMany);
  }
};

/** The newest sight of each: events oldest first, then the lists, which show what is so now. */
const merge = <Item extends { readonly reference: string }>(
  fromEvents: readonly (Item | null)[],
  listed: readonly Item[],
): readonly Item[] => {
  const newest = new Map<string, Item>();
  for (const item of [...fromEvents, ...listed]) if (item !== null) newest.set(item.reference, item);
  return [...newest.values()];
};

/** A whole second earlier: Stripe's times are seconds, and `gte` on a rounded-up one would leave a gap. */
const madeSince = (sinceMs: number): string => `created[gte]=${Math.max(0, Math.floor(sinceMs / 1000) - 1)}`;

/** One page of the refunds made since a time: a window of any length in the memory of one page. */
export const refundPage = async (
  access: StripeAccess,
  sinceMs: number,
  after: string | null,
  deadlineMs: number,
): Promise<RefundPageAnswer> => {
  const page = await askForPage<MirroredRefund>(
    access,
    '/v1/refunds',
    madeSince(sinceMs),
    after ?? '',
    (value) => readRefund(value),
    deadlineMs,
  );
  if (page.kind === 'not-found') return noAnswer('refunds: answer 404');
  if (page.kind === 'no-answer') return page;
  const last = page.items.at(-1)?.reference ?? null;
  if (last !== null && last === after) return noAnswer('refunds: list that runs in a circle');
  return {
    kind: 'answer',
    refunds: page.items.map(({ item }) => item),
    next: page.more ? last : null,
    providerDateMs: page.providerDateMs,
  };
};

const typesWanted = eventTypes.map((type) => `types[]=${type}`).join('&');

/** One page of the events about refunds and disputes since a time. A base without events (404) has no such question. */
export const eventPage = async (
  access: StripeAccess,
  sinceMs: number,
  after: string | null,
  deadlineMs: number,
): Promise<EventPageAnswer> => {
  const page = await askForPage<FetchedEvent>(
    access,
    '/v1/events',
    `${madeSince(sinceMs)}&${typesWanted}`,
    after ?? '',
    (value) => {
      const event = readEvent(value);
      return event === undefined ? undefined : { event, raw: JSON.stringify(value) };
    },
    deadlineMs,
  );
  if (page.kind === 'not-found') return { ...noAnswer('events: answer 404'), notOffered: true };
  if (page.kind === 'no-answer') return page;
  const last = page.items.at(-1)?.reference ?? null;
  if (last !== null && last === after) return noAnswer('events: list that runs in a circle');
  return { kind: 'answer', events: page.items.map(({ item }) => item), next: page.more ? last : null };
};

/**
 * Refunds and disputes made or changed since a time, all pages read: what the mirror is fed with. A base without
 * disputes or events (404) still answers with what it has. Never evidence of absence.
 */
export const listSince = async (
  access: StripeAccess,
  sinceMs: number,
  deadlineMs: number,
): Promise<ListingAnswer> => {
  const since = madeSince(sinceMs);
  const [refunds, disputes, events] = await Promise.all([
    askForList<MirroredRefund>(access, '/v1/refunds', since, (value) => readRefund(value), deadlineMs).then(
      (list) => partOf(list, 'refunds', false),
    ),
    askForList<MirroredDispute>(
      access,
      '/v1/disputes',
      since,
      (value) => readDispute(value),
      deadlineMs,
    ).then((list) => partOf(list, 'disputes', true)),
    askForList<VerifiedEvent>(access, '/v1/events', `${since}&${typesWanted}`, readEvent, deadlineMs).then(
      (list) => partOf(list, 'events', true),
    ),
  ]);
  if (refunds.kind === 'no-answer') return refunds;
  if (disputes.kind === 'no-answer') return disputes;
  if (events.kind === 'no-answer') return events;
  const oldestFirst = [...events.items].sort((one, other) => one.createdAtMs - other.createdAtMs);
  return {
    kind: 'answer',
    refunds: merge(
      oldestFirst.map(({ record }) => record),
      refunds.items,
    ),
    disputes: merge(
      oldestFirst.map(({ dispute }) => dispute),
      disputes.items,
    ),
    providerDateMs: refunds.dateMs,
  };
};
