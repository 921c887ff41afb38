/** The parts that every outbox is put together from, for those who bring a world of their own: the simulation does. */
export { createCanceller, neverCancelled, type Chance, type Clock } from './ports.ts';
export { Intents } from './queue/intents.ts';
export { historyOf } from './queue/entry-history.ts';
export type { QueueStore } from './queue/queue-store.ts';
export { decideRetellNeeded, decideSignedIn } from './queue/session-decision.ts';
export { deviceItems } from './read/device-item.ts';
export type { CacheStore } from './feed/cache-store.ts';
export type { FeedBatch } from './feed/feed-batch.ts';
export { refundWire } from './send/refund-wire.ts';
export { Sender, type RoundEnd } from './send/sender.ts';
export type { ServerRequest, Transport } from './send/transport.ts';
export type { Delivery } from './send/verdict.ts';
