/** Entry of the single-shot adapter: no key and no look-up, so once, and then a person. */
export { createSingleShotAdapter, type SingleShotAdapterOptions } from './single-shot-adapter.ts';
export { singleShotContract, statementContract } from './single-shot-contract.ts';
