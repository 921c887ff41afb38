/** A payment's money in minor units of its one currency. */
export type PaymentFigures = {
  readonly currency: string;
  readonly captured: number;
  readonly refunded: number;
  readonly refundedElsewhere: number;
  readonly reserved: number;
  readonly disputed: boolean;
};

/** What may still be reserved. Zero when outside facts have overdrawn the payment. */
export const refundableMinor = (figures: PaymentFigures): number =>
  Math.max(0, figures.captured - figures.refunded - figures.refundedElsewhere - figures.reserved);
