/**
 * The places where a test may end or freeze this process, each named by what is already durable and what is not. The
 * record of an answer, its audit entry and its feed rows are one transaction, so there is nothing between them.
 */
export const crashPoints = [
  'before-command-commits',
  'after-command-before-answer',
  'before-claim-commits',
  'after-claim-before-fence',
  'after-fence-before-send',
  'after-answer-before-record',
  'before-record-commits',
  'after-record-before-notice',
  'after-look-up-before-record',
  'after-event-stored-before-answer',
  'after-event-applied-before-finish',
  'after-listing-before-position',
] as const;

export type CrashPoint = (typeof crashPoints)[number];
