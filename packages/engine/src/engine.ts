/** Entry of the engine's decisions and interfaces; what needs PostgreSQL enters through `@holdfast/engine/postgres`. */
export type * from './engine-interface.ts';
export type {
  ApprovalProof,
  SignatureVerdict,
  SigningKey,
  VerifyAssertion,
  WrongSignature,
} from './intake/approval-signature.ts';
export type { PolicyDesk, PolicyDeskAnswer } from './policy/policy-desk.ts';
export type { ChainFault } from './audit/audit-chain.ts';
export { problemOf, type ProblemExtras } from './intake/problem.ts';
export { sweepFindingKinds, type SweepFinding, type SweepFindingKind } from './sweep/sweep-finding.ts';
export type { SweepResult } from './sweep/run-sweep.ts';
export {
  sweepPhases,
  sweepStates,
  type KeptFinding,
  type SweepPhase,
  type SweepProgress,
  type SweepState,
  type SweepView,
} from './sweep/sweep-run.ts';
export {
  freshForMs,
  isFresh,
  judgeCounter,
  judgeRegistering,
  judgeRevoking,
  type Proof,
  type RegisterJudgement,
} from './sign-in/passkey-decision.ts';
export { auditOfOrigin, deviceFamilies, type CameFrom, type DeviceFamily } from './audit/came-from.ts';
export {
  organisationAuditTypes,
  type AuditSubject,
  type OrganisationAuditType,
} from './audit/organisation-audit-types.ts';
export { faultsOfSeal, type Seal, type SealSigner } from './audit/seal.ts';
export {
  chosenWays,
  waitingKinds,
  type ChosenWay,
  type MailOut,
  type NoticeKind,
} from './notify/plan-notices.ts';
export { judgeDelivery, type Delivery, type DeliveryVerdict } from './notify/judge-delivery.ts';
export { judgeBeforeSend } from './execute/send-verdict.ts';
export { bodyOf, choosableTypes, type AnnouncementType } from './announce/announcement.ts';
export {
  deliveryOutcomes,
  outcomeOfStatus,
  type Attempted,
  type DeliveryOutcome,
} from './announce/judge-announcing.ts';
