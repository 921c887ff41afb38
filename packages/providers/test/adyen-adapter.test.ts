import { createAdyenAdapter } from '../src/adyen/adyen.ts';
import { describeAdapterContract } from './adapter-contract-suite.ts';
import { adyenTraits } from './conformance/shape-traits.ts';
import { startFakeShape } from './fake-providers-under-test.ts';

describeAdapterContract('Adyen’s shape, the outcome by webhook,', adyenTraits, () =>
  startFakeShape('adyen', adyenTraits, ({ credential: apiKey, apiBase }) =>
    createAdyenAdapter({ apiKey, apiBase, merchantAccount: 'FakeMerchant', nowMs: Date.now }),
  ),
);
