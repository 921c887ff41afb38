/** The door for plain actions by itself: what somebody loads who queues another action than refunds. */
export * from '@holdfast/outbox/queue';
