/** Entry of the providers' room: the contract as data, the adapter's interface, and one adapter a provider. */
export type * from './provider-adapter.ts';
export type * from './provider-contract.ts';
