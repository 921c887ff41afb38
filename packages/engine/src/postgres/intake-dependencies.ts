import type { ProviderDirectory } from '../engine-interface.ts';
import type { AccessRules } from '../intake/access.ts';
import type { VerifyAssertion } from '../intake/approval-signature.ts';
import type { InOrganisation } from './connection.ts';
import type { ProviderNames } from './operation-reader.ts';

export type IntakeDependencies = {
  readonly inOrganisation: InOrganisation;
  readonly providers: ProviderDirectory;
  readonly providerName: ProviderNames;
  readonly rules: AccessRules;
  /** How assertions of approvals are verified; without it none is good. */
  readonly verifyAssertion?: VerifyAssertion | undefined;
  /** How long a completing approval can be taken back before it may be claimed. Milliseconds. */
  readonly undoMs: number;
  readonly providerTimeoutMs: number;
  /** This process's clock, for deadlines of questions to the provider only. Milliseconds since the epoch. */
  readonly nowMs: () => number;
};
