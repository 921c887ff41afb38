/** Entry of the engine's PostgreSQL side. Order of use: `migrate`, `connect`, `createRuntime`, then the rest. */
export { eraseCustomer } from './erase-customer.ts';
export { erasePerson, ErasureRefusal } from './erase-person.ts';
export {
  connect,
  serverRole,
  signInRole,
  type ConnectOptions,
  type Connection,
  type Database,
  type InOrganisation,
  type OrganisationTransaction,
  type ReadClock,
} from './connection.ts';
export { checkSchema, migrate, SchemaRefusal, type MigrationReport } from './migrate.ts';
export { isDatabaseAway } from './database-trouble.ts';
export { createRuntime, type Runtime } from './runtime.ts';
export { createEngine, type CreateEngineOptions } from './create-engine.ts';
export { createWorker, type CreateWorkerOptions } from './create-worker.ts';
export { defaultOrganisationId, listOrganisations, type OrganisationSummary } from './organisation-store.ts';
export { verifySignatures, type SignatureVerification, type RecheckProof } from './verify-signatures.ts';
export { verifyAudit, type AuditVerification } from './audit-verify.ts';
export { accountArrived, setProviderAccess, type NewProviderAccess } from './provider-account-store.ts';
export { readPolicy } from './operation-reader.ts';
export { isPageCursor, cursorOfOperation } from './page-cursor.ts';
export { createSweeper, type Sweeper, type SweepOptions } from './sweep-runner.ts';
export {
  isSweepCursor,
  listSweeps,
  nextSweepAt,
  readSweep,
  requestSweep,
  type SweepPage,
} from './sweep-desk.ts';
export { readFindings, type FindingPage } from './sweep-finding-store.ts';
export { passkeysIn, type NewPasskey, type PasskeyRecord, type Passkeys } from './passkey-store.ts';
export {
  appendOrganisationAudit,
  auditingOver,
  type AuditingTransaction,
  type NewOrganisationEntry,
} from './organisation-audit.ts';
export { sealAudit } from './audit-sealing.ts';
export type { TrustedSeals } from './audit-verify-seals.ts';
export { sealSigner, verifySealSignature } from './seal-signature.ts';
export { newestSeal, newestSeals } from './seal-store.ts';
export {
  cursorOfAudit,
  findAudit,
  isAuditCursor,
  type AuditFilter,
  type AuditItem,
  type AuditPage,
} from './audit-search.ts';
export { readSealStatus, type SealStatus } from './audit-seal-status.ts';
export {
  chooseWay,
  chosenWayOf,
  endPushDevice,
  isOwnPushDevice,
  keepPushDevice,
  type PushDevice,
} from './push-device-store.ts';
export { escalateUntaken } from './case-escalation.ts';
export { livingDevices } from './notice-facts.ts';
export {
  claimNotices,
  organisationsWithNotices,
  planTestNotice,
  planWaitingNotices,
  recordDelivery,
  type ClaimedNotice,
} from './notice-store.ts';
export { BackupRefusal, type BackupSummary, type RestoreSummary } from './backup/backup-format.ts';
export { restoreBackup } from './backup/restore-backup.ts';
export { writeBackup } from './backup/write-backup.ts';
export {
  claimAnnouncements,
  forgetDelivered,
  organisationsWithAnnouncements,
  recordAnnounced,
  type ClaimedAnnouncement,
} from './announcement-store.ts';
export { readDeliveries, redeliver, type LoggedDelivery } from './delivery-log.ts';
export {
  addEndpoint,
  listEndpoints,
  mostEndpoints,
  removeEndpoint,
  rotateEndpoint,
  switchEndpoint,
  testEndpoint,
  type ListedEndpoint,
} from './endpoint-store.ts';
export { countHeldBack } from './proposal-bursts.ts';
