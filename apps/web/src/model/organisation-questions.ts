import type { Role } from '@holdfast/operation';
import type { Answer, Server } from './server.ts';

export type PeoplesRole = Exclude<Role, 'integrator'>;
export const peoplesRoles: readonly PeoplesRole[] = ['agent', 'approver', 'operator', 'admin'];

export type ListedPerson = {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly joinedAt: string;
  readonly removedAt: string | null;
};
export type ListedInvitation = {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: PeoplesRole;
  readonly sentAt: string;
  readonly expiresAt: string;
};
/** A recovery of somebody's sign-in that waits for the second admin. */
export type WaitingRecovery = {
  readonly id: string;
  readonly personId: string;
  readonly reason: string;
  readonly startedBy: string;
  readonly startedAt: string;
  readonly expiresAt: string;
};
/** `link` is told once, and only where no letter carries it. */
export type AgreedRecovery = { readonly mailed: boolean; readonly link: string | null };
export type PeopleList = {
  readonly people: readonly ListedPerson[];
  readonly invitations: readonly ListedInvitation[];
  readonly recoveries: readonly WaitingRecovery[];
};
export type SentInvitation = {
  readonly invitation: ListedInvitation;
  readonly mailed: boolean;
  readonly link: string | null;
};

export type KeyScope = 'role' | 'propose' | 'read';
export type ListedKey = {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly scope: KeyScope;
  readonly assistant: boolean;
  readonly owner: { readonly id: string; readonly name: string } | null;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly oldWorksUntil: string | null;
  readonly stands: 'works' | 'revoked' | 'expired' | 'owner-left' | 'owner-lost-the-role';
};
export type ProviderAccount = {
  readonly provider: string;
  readonly accountId: string;
  readonly liveMode: boolean;
  readonly fake: boolean;
};
export type ToldInvitation = {
  readonly organisation: string;
  readonly role: string;
  readonly name: string;
  readonly email: string;
  readonly invitedBy: string;
  readonly needs: 'password' | 'sign-in' | 'nothing';
};

/** The app and its server come together; what does not even have these fields is no answer of ours. */
const having =
  <Value extends object>(...fields: readonly (keyof Value & string)[]) =>
  (body: unknown): Value => {
    if (typeof body !== 'object' || body === null || fields.some((field) => !(field in body))) {
      throw new Error(`an answer with ${fields.join(', ')} was expected`);
    }
    return body as Value;
  };
const nothing = (): void => undefined;

/** What an admin asks and does about people, keys and the provider account. */
export class OrganisationQuestions {
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  people = (): Promise<Answer<PeopleList>> =>
    this.#server.asked('/v1/people', having<PeopleList>('people', 'invitations', 'recoveries'));
  changeRole = (personId: string, role: Role, was: Role): Promise<Answer<void>> =>
    this.#server.asked('/v1/people/role', nothing, { personId, role, was });
  remove = (personId: string): Promise<Answer<void>> =>
    this.#server.asked('/v1/people/remove', nothing, { personId });
  takeBack = (personId: string): Promise<Answer<void>> =>
    this.#server.asked('/v1/people/take-back', nothing, { personId });
  invite = (invited: { email: string; name: string; role: PeoplesRole }): Promise<Answer<SentInvitation>> =>
    this.#server.asked('/v1/people/invite', having<SentInvitation>('invitation', 'mailed'), invited);
  inviteAgain = (invitationId: string): Promise<Answer<SentInvitation>> =>
    this.#server.asked('/v1/people/invite-again', having<SentInvitation>('invitation', 'mailed'), {
      invitationId,
    });
  withdrawInvitation = (invitationId: string): Promise<Answer<void>> =>
    this.#server.asked('/v1/people/withdraw-invitation', nothing, { invitationId });

  recover = (personId: string, reason: string): Promise<Answer<void>> =>
    this.#server.asked(`/v1/people/${encodeURIComponent(personId)}/recovery`, nothing, { reason });
  agreeToRecovery = (id: string): Promise<Answer<AgreedRecovery>> =>
    this.#server.asked(
      `/v1/recoveries/${encodeURIComponent(id)}/agree`,
      having<AgreedRecovery>('mailed'),
      {},
    );
  withdrawRecovery = (id: string): Promise<Answer<void>> =>
    this.#server.asked(`/v1/recoveries/${encodeURIComponent(id)}/withdraw`, nothing, {});
  endSessions = (personId: string): Promise<Answer<{ readonly ended: number }>> =>
    this.#server.asked(
      `/v1/people/${encodeURIComponent(personId)}/sessions/end`,
      having<{ ended: number }>('ended'),
      {},
    );

  keys = (): Promise<Answer<{ readonly items: readonly ListedKey[] }>> =>
    this.#server.asked('/v1/keys', having<{ items: readonly ListedKey[] }>('items'));
  makeKey = (order: object): Promise<Answer<{ readonly key: string }>> =>
    this.#server.asked('/v1/keys', having<{ key: string }>('key'), order);
  rotateKey = (keyId: string, graceSeconds: number): Promise<Answer<{ readonly key: string }>> =>
    this.#server.asked('/v1/keys/rotate', having<{ key: string }>('key'), { keyId, graceSeconds });
  revokeKey = (keyId: string): Promise<Answer<void>> =>
    this.#server.asked('/v1/keys/revoke', nothing, { keyId });

  providerAccount = (): Promise<Answer<{ readonly account: ProviderAccount | null }>> =>
    this.#server.asked('/v1/provider-account', having<{ account: ProviderAccount | null }>('account'));

  invitation = (token: string): Promise<Answer<ToldInvitation>> =>
    this.#server.asked('/v1/invitation', having<ToldInvitation>('organisation', 'needs'), { token });
  accept = (token: string, password: string | null): Promise<Answer<void>> =>
    this.#server.asked('/v1/invitation/accept', nothing, {
      token,
      ...(password === null ? {} : { password }),
    });
}
