/** Entry of the Stripe adapter: the only place of the house that may import Stripe's client library. */
export { createStripeAdapter, stripeApiVersion, type StripeAdapterOptions } from './stripe-adapter.ts';
export { stripeContract } from './stripe-contract.ts';
export { toStripeAmount } from './stripe-money.ts';
