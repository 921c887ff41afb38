import { describeAdapterContract } from './adapter-contract-suite.ts';
import { startFakeStripe, stripeTraits } from './fake-stripe-under-test.ts';

describeAdapterContract('Stripe', stripeTraits, startFakeStripe);
