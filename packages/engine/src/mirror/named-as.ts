import type { MirroredRefund } from '@holdfast/providers';

/**
 * A refund in terms of the payment as it is known here: a provider names a payment by its charge too, and where it is
 * known by that name the record speaks of it so. A refund of another payment stays as it is.
 */
export const namedAs = (refund: MirroredRefund, paymentReference: string | null): MirroredRefund =>
  paymentReference !== null && refund.chargeReference === paymentReference
    ? { ...refund, paymentReference }
    : refund;
