import type { Engine } from '@holdfast/engine';
import type { Route } from '../route.ts';
import { acceptInvitationRoutes, type AcceptParts } from './accept-invitation-routes.ts';
import { assistantRoutes, type AssistantParts } from './assistant-route.ts';
import { auditRoutes, type AuditParts } from './audit-routes.ts';
import { caseRoutes } from './case-routes.ts';
import { catalogueRoutes } from './catalogue-routes.ts';
import { commandRoutes } from './command-routes.ts';
import type { DemoCases } from '../../demo/demo-cases.ts';
import { demoRoutes } from './demo-routes.ts';
import { endpointRoutes, type EndpointParts } from './endpoint-routes.ts';
import { feedRoutes, type FeedParts } from './feed-routes.ts';
import { holdRoutes } from './hold-routes.ts';
import { keyRoutes, type KeyParts } from './key-routes.ts';
import { mcpRoutes, type McpParts } from './mcp-route.ts';
import { meRoutes, type MeParts } from './me-routes.ts';
import { numbersRoutes } from './numbers-routes.ts';
import { notificationRoutes, type NotificationParts } from './notification-routes.ts';
import { operationExportRoutes } from './operation-export-route.ts';
import { operationRoutes } from './operation-routes.ts';
import { policyRoutes } from './policy-routes.ts';
import { peopleRoutes, type PeopleParts } from './people-routes.ts';
import { recoveryRoutes, type RecoveryParts } from './recovery-routes.ts';
import { providerAccountRoutes, type ProviderAccountParts } from './provider-account-routes.ts';
import { passkeySignInRoutes } from './passkey-sign-in-routes.ts';
import { securityRoutes } from './security-routes.ts';
import { signInRoutes, type SignInParts } from './sign-in-routes.ts';
import { signingRoutes, type SigningParts } from './signing-routes.ts';
import { sweepRoutes, type SweepParts } from './sweep-routes.ts';
import { systemRoutes, type Readiness } from './system-routes.ts';

export type RouteParts = {
  readonly engine: Engine;
  readonly audit: AuditParts;
  readonly assistant: AssistantParts;
  readonly mcp: McpParts;
  readonly me: MeParts;
  readonly people: PeopleParts;
  readonly recovery: RecoveryParts;
  readonly accept: AcceptParts;
  readonly keys: KeyParts;
  readonly providerAccount: ProviderAccountParts;
  readonly notifications: NotificationParts;
  readonly endpoints: EndpointParts;
  /** Only in the demo. */
  readonly demoCases: DemoCases | undefined;
  readonly keyApprovals: boolean;
  readonly readiness: Readiness;
  readonly feed: FeedParts;
  readonly signIn: SignInParts;
  readonly signing: SigningParts;
  readonly sweeps: SweepParts;
};

/** Every route there is: what HTTP serves, what the contract shows, and what the role test walks through. */
export const allRoutes = (parts: RouteParts): Route[] => [
  ...commandRoutes(parts.keyApprovals),
  // Before the route of one operation, whose ID is never "export".
  ...operationExportRoutes(parts.audit),
  ...operationRoutes(parts.keyApprovals),
  ...sweepRoutes(parts.sweeps),
  ...caseRoutes,
  ...feedRoutes(parts.feed),
  ...catalogueRoutes,
  ...systemRoutes(parts.engine, parts.readiness),
  ...numbersRoutes,
  ...holdRoutes,
  ...auditRoutes(parts.audit),
  ...assistantRoutes(parts.assistant),
  ...mcpRoutes(parts.mcp, parts.feed.identify),
  ...meRoutes(parts.me),
  ...notificationRoutes(parts.notifications),
  ...policyRoutes,
  ...peopleRoutes(parts.people),
  ...recoveryRoutes(parts.recovery),
  ...acceptInvitationRoutes(parts.accept),
  ...keyRoutes(parts.keys),
  ...providerAccountRoutes(parts.providerAccount),
  ...endpointRoutes(parts.endpoints),
  ...signingRoutes(parts.signing),
  ...demoRoutes(parts.demoCases),
  ...signInRoutes(parts.signIn),
  ...passkeySignInRoutes(parts.signIn.security),
  ...securityRoutes(parts.signIn.security),
];
