/**
 * Every word that an organisation's audit may hold. Whoever adds an act adds its word here, and the sentence that people
 * read beside it in the message file of the audit screen.
 */
export const organisationAuditTypes = [
  'organisation-created',
  'policy-proposed',
  'policy-changed',
  'policy-change-refused',
  'policy-change-withdrawn',
  'member-added',
  'member-removed',
  'role-changed',
  'invitation-sent',
  'invitation-accepted',
  'invitation-withdrawn',
  'key-created',
  'key-rotated',
  'key-revoked',
  'passkey-added',
  'passkey-renamed',
  'passkey-revoked',
  'passkey-refused',
  'recovery-asked',
  'recovery-approved',
  'recovery-refused',
  'recovery-withdrawn',
  'recovery-used',
  'signed-in',
  'signed-out',
  'session-revoked',
  'sessions-revoked',
  'password-set',
  'password-reset-asked',
  'provider-account-set',
  'provider-account-removed',
  'hold-on',
  'hold-off',
  'notifications-changed',
  'endpoint-added',
  'endpoint-removed',
  'endpoint-rotated',
  'endpoint-switched-on',
  'endpoint-switched-off',
  'endpoint-tested',
  'endpoint-redelivered',
  'endpoint-failing',
  'endpoint-well',
  'audit-exported',
  'operations-exported',
  'audit-verified',
  'person-erased',
  'customer-erased',
] as const;
export type OrganisationAuditType = (typeof organisationAuditTypes)[number];

/**
 * What an entry is about, which is also the chain it stands in: entries of one subject wait for one another, entries of
 * two never do. The part after the space is an ID, never a name and never an address.
 */
export type AuditSubject =
  | 'organisation'
  | 'policy'
  | 'audit'
  | `member ${string}`
  | `person ${string}`
  | `invitation ${string}`
  | `key ${string}`
  | `account ${string}`
  | `endpoint ${string}`;
