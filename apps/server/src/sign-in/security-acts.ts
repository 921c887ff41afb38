import type { DeviceFamily, OrganisationAuditType } from '@holdfast/engine';
import {
  appendOrganisationAudit,
  type AuditingTransaction,
  type InOrganisation,
} from '@holdfast/engine/postgres';
import { deviceFamilyOf } from './device-family.ts';

/** A person in one session, as far as the audit is told of them: IDs, and the family of their browser. */
export type Person = {
  readonly organisationId: string;
  readonly userId: string;
  /** Empty where there is none (yet). */
  readonly sessionId: string;
  readonly device: DeviceFamily;
};

/** What is audited of how people sign in. */
export type SecurityAct = Extract<
  OrganisationAuditType,
  | 'signed-in'
  | 'signed-out'
  | 'passkey-added'
  | 'passkey-renamed'
  | 'passkey-revoked'
  | 'passkey-refused'
  | 'session-revoked'
  | 'sessions-revoked'
  | 'password-set'
  | 'password-reset-asked'
>;

type Ids = Readonly<Record<string, string | number>>;

export const deviceOf = (headers: Headers): DeviceFamily => deviceFamilyOf(headers.get('user-agent'));

/** In the transaction of the act itself: both are there, or neither. */
export const recordAct = (
  tx: AuditingTransaction,
  act: SecurityAct,
  person: Person,
  ids: Ids = {},
): Promise<void> =>
  appendOrganisationAudit(tx, {
    type: act,
    by: person.userId,
    subject: `person ${person.userId}`,
    data: {
      ...ids,
      device: person.device,
      ...(person.sessionId === '' ? {} : { session: person.sessionId }),
    },
  });

/** For what the sign-in tables keep, whose role writes no audit: told right after it was done. */
export type TellAct = (act: SecurityAct, person: Person, ids?: Ids) => Promise<void>;

export const tellActs =
  (inOrganisation: InOrganisation): TellAct =>
  (act, person, ids) =>
    inOrganisation(person.organisationId, (tx) => recordAct(tx, act, person, ids));
