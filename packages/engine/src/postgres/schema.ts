/** The tables as queries see them. The numbered SQL files make them; a test compares the two column by column. */
export * from './schema-organisation.ts';
export * from './schema-catalogue.ts';
export * from './schema-operation.ts';
export * from './schema-signature.ts';
export * from './schema-evidence.ts';
export * from './schema-budget.ts';
export * from './schema-history.ts';
export * from './schema-seals.ts';
export * from './schema-policy.ts';
export * from './schema-notifications.ts';
export * from './schema-recovery.ts';
export * from './schema-case.ts';
export * from './schema-conversation.ts';
export * from './schema-sweep.ts';
export * from './schema-announcements.ts';
export * from './schema-ticket-note.ts';
