import { createMollieAdapter } from '../src/mollie/mollie.ts';
import { describeAdapterContract } from './adapter-contract-suite.ts';
import { mollieTraits } from './conformance/shape-traits.ts';
import { startFakeShape } from './fake-providers-under-test.ts';

describeAdapterContract('Mollie’s shape, lists that lag and a short window,', mollieTraits, () =>
  startFakeShape('mollie', mollieTraits, ({ credential: apiKey, apiBase }) =>
    createMollieAdapter({ apiKey, apiBase, nowMs: Date.now }),
  ),
);
