import type { Role } from '@holdfast/operation';

/** People's roles; integrators are programs. */
export const peoplesRoles = ['agent', 'approver', 'operator', 'admin'] as const;
export type PeoplesRole = (typeof peoplesRoles)[number];

export type MemberFacts = { readonly userId: string; readonly role: Role; readonly isRemoved: boolean };

/** `was` is the role that the admin saw: somebody else may have changed it meanwhile. */
export type MemberAct =
  | { readonly kind: 'change-role'; readonly role: PeoplesRole; readonly was: Role }
  | { readonly kind: 'remove' }
  | { readonly kind: 'take-back' };

export type MemberVerdict =
  'go' | 'nothing-to-do' | 'not-found' | 'no-admin-any-more' | 'own-membership' | 'stale' | 'last-admin';

/**
 * Whether an admin may change this membership. All of it is judged again under the lock of every admin's row: of two
 * admins who demote each other at once, the second is none any more.
 * @param members every admin, the one who asks and the one it is about, as they are now
 */
export const judgeMembership = (
  members: readonly MemberFacts[],
  by: string,
  about: string,
  act: MemberAct,
): MemberVerdict => {
  const admins = members.filter(({ role, isRemoved }) => role === 'admin' && !isRemoved);
  const target = members.find(({ userId }) => userId === about);
  if (!admins.some(({ userId }) => userId === by)) return 'no-admin-any-more';
  if (target === undefined) return 'not-found';
  if (by === about) return 'own-membership';
  const isLastAdmin = admins.length === 1 && admins[0]?.userId === about;
  switch (act.kind) {
    case 'take-back':
      return target.isRemoved ? 'go' : 'nothing-to-do';
    case 'remove':
      if (target.isRemoved) return 'nothing-to-do';
      return isLastAdmin ? 'last-admin' : 'go';
    case 'change-role':
      if (target.isRemoved) return 'not-found';
      if (target.role === act.role) return 'nothing-to-do';
      if (target.role !== act.was) return 'stale';
      return isLastAdmin ? 'last-admin' : 'go';
  }
};
