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
  /**
   * A time of the database at which that question was not put yet: the answer shows nothing older than it. Without it
   * the answer says when nothing was asked, and is no look at the payment that a send could stand on.
   */
  readonly askedAtMs?: number;
  readonly source: 'listing' | 'look-up' | 'webhook';
};
