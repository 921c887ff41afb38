/** Entry of the PayPal adapter: sending the same bytes again is the look-up. */
export { createPaypalAdapter, type PaypalAdapterOptions } from './paypal-adapter.ts';
export { paypalContract } from './paypal-contract.ts';
