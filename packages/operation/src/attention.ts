export const attentionReasons = [
  'outcome-unresolved',
  'duplicate-action',
  'conflicting-evidence',
  'amount-differs',
  'pending-too-long',
  'contradicted',
  'nobody-can-approve',
  'provider-refuses-us',
] as const;
export type AttentionReason = (typeof attentionReasons)[number];

/** Why a person is needed. `since` is ISO 8601 UTC. An operation needs a person while its list is not empty. */
export type Attention = { readonly reason: AttentionReason; readonly since: string };

/** Attention on one operation that keeps every other operation of the same payment from being proposed or sent. */
export const blockingAttention: readonly AttentionReason[] = [
  'outcome-unresolved',
  'duplicate-action',
  'conflicting-evidence',
  'amount-differs',
  'contradicted',
];
