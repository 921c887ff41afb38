import { createSquareAdapter } from '../src/square/square.ts';
import { describeAdapterContract } from './adapter-contract-suite.ts';
import { squareTraits } from './conformance/shape-traits.ts';
import { startFakeShape } from './fake-providers-under-test.ts';

describeAdapterContract(
  'Square’s shape, lists that lag and keys of an unpublished window,',
  squareTraits,
  () =>
    startFakeShape('square', squareTraits, ({ credential: accessToken, apiBase }) =>
      createSquareAdapter({ accessToken, apiBase, nowMs: Date.now }),
    ),
);
