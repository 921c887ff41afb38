import { feedEventSchemas } from '@holdfast/operation';
import type { FeedReset, Operation, Order, Ticket } from '@holdfast/operation';
import * as z from 'zod/mini';
import { parsedJson } from '../send/verdict.ts';
import type { StreamEvent } from './event-stream.ts';

/** What one piece of the stream says, put together so that it can be stored in one transaction with its cursor. */
export type FeedBatch = {
  readonly operations: readonly Operation[];
  readonly orders: readonly Order[];
  readonly tickets: readonly Ticket[];
  /** The last cursor in the batch; `null` when it carries none. */
  readonly cursor: string | null;
  /** The generation, when the batch says that the start is complete. */
  readonly live: string | null;
  readonly reset: FeedReset | null;
  /** Events that do not fit what this version knows. Kept visible; they must not stop the rest. */
  readonly unreadable: readonly { readonly raw: string; readonly because: string }[];
};

type Building = {
  -readonly [Field in keyof FeedBatch]: FeedBatch[Field] extends readonly (infer Item)[]
    ? Item[]
    : FeedBatch[Field];
};

const empty = (): Building => ({
  operations: [],
  orders: [],
  tickets: [],
  cursor: null,
  live: null,
  reset: null,
  unreadable: [],
});

const readInto = <Value>(
  schema: z.ZodMiniType<Value>,
  { data, event }: StreamEvent,
  building: Building,
  take: (value: Value) => void,
): void => {
  const read = schema.safeParse(parsedJson(data));
  if (read.success) take(read.data);
  else building.unreadable.push({ raw: `${event}: ${data}`, because: z.prettifyError(read.error) });
};

const addEvent = (building: Building, event: StreamEvent): void => {
  switch (event.event) {
    case 'operation':
      readInto(feedEventSchemas.operation, event, building, (value) => building.operations.push(value));
      break;
    case 'order':
      readInto(feedEventSchemas.order, event, building, (value) => building.orders.push(value));
      break;
    case 'ticket':
      readInto(feedEventSchemas.ticket, event, building, (value) => building.tickets.push(value));
      break;
    case 'live':
      readInto(feedEventSchemas.live, event, building, (value) => (building.live = value.generation));
      break;
    case 'reset':
      readInto(feedEventSchemas.reset, event, building, (value) => (building.reset = value));
      // A reset that cannot be read is still a reset: going on with old history would be the worse mistake.
      building.reset ??= { reason: 'cursor-unreadable' };
      break;
    default:
      // A newer server may tell of things that this version has no place for.
      break;
  }
  if (event.id !== null && event.id !== '') building.cursor = event.id;
};

/** Events after a reset belong to the next beginning; the stream is opened anew for them. */
export const batchOf = (events: readonly StreamEvent[]): FeedBatch => {
  const building = empty();
  for (const event of events) {
    addEvent(building, event);
    if (building.reset !== null) break;
  }
  return building;
};
