/** Entry of the Square adapter: lists that are behind, and no published window for keys. */
export { createSquareAdapter, type SquareAdapterOptions } from './square-adapter.ts';
export { squareContract } from './square-contract.ts';
