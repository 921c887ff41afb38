import { roleMay, type Role } from '@holdfast/operation';

/** How much of its role a key may use: all of it, proposing and reading, or reading alone. */
export const keyScopes = ['role', 'propose', 'read'] as const;
export type KeyScope = (typeof keyScopes)[number];

const width: Record<KeyScope, number> = { read: 0, propose: 1, role: 2 };

/** Whether a credential of this scope is wide enough for what needs that one. People have no scope: all is theirs. */
export const scopeCovers = (scope: KeyScope | undefined, needed: KeyScope): boolean =>
  width[scope ?? 'role'] >= width[needed];

/**
 * Whether a key of this role has nothing that its owner has not. Integrators are programs, never people: feeding in
 * orders and tickets is an admin's to give away.
 */
export const ownerCovers = (ownerRole: Role, keyRole: Role): boolean =>
  keyRole === 'integrator' ? ownerRole === 'admin' : roleMay(ownerRole, keyRole);

export type OwnedKey = {
  readonly role: Role;
  readonly ownerUserId: string | null;
  readonly ownerRole: Role | null;
  readonly ownerRoleThen: Role | null;
};

/**
 * Whether a key still works, as far as its owner goes. One whose owner left does not (`ownerRole` is null then), nor one
 * whose owner has lost the role. A key that the command line gave to somebody of another role works for as long as that
 * person's role is the one it was given under.
 */
export const ownerLetsWork = ({ role, ownerUserId, ownerRole, ownerRoleThen }: OwnedKey): boolean => {
  if (ownerUserId === null) return true;
  if (ownerRole === null) return false;
  return ownerCovers(ownerRole, role) || ownerRole === ownerRoleThen;
};
