import type { MirroredDispute, MirroredRefund } from '@holdfast/providers';

/**
 * Something the provider's side showed, whoever asked. It may show that things happened; what it does not show is
 * never taken as proof that they did not.
 */
export type SeenAtProvider = {
  readonly refunds: readonly MirroredRefund[];
  readonly disputes: readonly MirroredDispute[];
  /** The payment whose whole side was read, all pages; `null` for a listing or a single object. */
  readonly askedPayment: string | null;
  readonly source: 'listing' | 'look-up' | 'webhook';
};
