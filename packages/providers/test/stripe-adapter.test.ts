import { describeAdapterContract } from './adapter-contract-suite.ts';
import { startFakeStripe } from './fake-stripe-under-test.ts';

describeAdapterContract('Stripe', startFakeStripe);
