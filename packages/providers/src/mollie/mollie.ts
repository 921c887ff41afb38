/** Entry of the Mollie adapter: lists that may be behind, and a short window for keys. */
export { createMollieAdapter, type MollieAdapterOptions } from './mollie-adapter.ts';
export { mollieContract } from './mollie-contract.ts';
