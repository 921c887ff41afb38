/** Entry of the Adyen adapter: asynchronous, the outcome comes by webhook. */
export { createAdyenAdapter, type AdyenAdapterOptions } from './adyen-adapter.ts';
export { adyenContract } from './adyen-contract.ts';
