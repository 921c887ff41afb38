/** Stores in memory that pass the contract tests of the real ones, for those who simulate a device. */
export { MemoryCacheStore } from './memory-cache-store.ts';
export { MemoryQueueStore } from './memory-queue-store.ts';
