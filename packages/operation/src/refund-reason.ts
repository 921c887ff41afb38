export const refundReasons = [
  'returned',
  'requested_by_customer',
  'damaged',
  'not_received',
  'wrong_item',
  'duplicate_charge',
  'goodwill',
  'other',
  'fraudulent',
] as const;
export type RefundReason = (typeof refundReasons)[number];

/** Puts the customer's card on the provider's block list, so only operators may choose it. */
export const operatorOnlyReasons: readonly RefundReason[] = ['fraudulent'];
