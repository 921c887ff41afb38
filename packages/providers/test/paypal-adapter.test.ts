import { createPaypalAdapter } from '../src/paypal/paypal.ts';
import { describeAdapterContract } from './adapter-contract-suite.ts';
import { paypalTraits } from './conformance/shape-traits.ts';
import { startFakeShape } from './fake-providers-under-test.ts';

describeAdapterContract('PayPal’s shape, replay is the look-up,', paypalTraits, () =>
  startFakeShape('paypal', paypalTraits, ({ credential: accessToken, apiBase }) =>
    createPaypalAdapter({ accessToken, apiBase, nowMs: Date.now }),
  ),
);
