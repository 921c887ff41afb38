import { createSingleShotAdapter } from '../src/single-shot/single-shot.ts';
import { describeAdapterContract } from './adapter-contract-suite.ts';
import { singleShotTraits } from './conformance/shape-traits.ts';
import { startFakeShape } from './fake-providers-under-test.ts';

describeAdapterContract('a gateway without key and look-up', singleShotTraits, () =>
  startFakeShape('gateway', singleShotTraits, ({ credential: password, apiBase }) =>
    createSingleShotAdapter({ password, apiBase, books: 'none', nowMs: Date.now }),
  ),
);
