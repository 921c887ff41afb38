/** Entry of the providers' room: the contract as data, the adapter's interface, and what may be judged from answers. */
export * from './judge-absence.ts';
export * from './judge-look-up.ts';
export type * from './provider-adapter.ts';
export type * from './provider-contract.ts';
export * from './provider-money.ts';
