export const roles = ['agent', 'approver', 'operator', 'admin', 'integrator'] as const;
export type Role = (typeof roles)[number];

/** Roles do not inherit, except that an admin may what agent, approver and operator may. */
export const roleMay = (role: Role, needed: Role): boolean =>
  role === needed || (role === 'admin' && needed !== 'integrator');

/**
 * Who acts. A key acts for its owner where it has one (`id` is then the owner's), else for itself.
 * `assistant` marks a program driven by a model: it may propose, never approve, deny, settle or differ.
 */
export type Actor = {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly assistant: boolean;
  /** How the actor came in. `ownerless-key` may not use `differentFrom`; keys approve only where it is switched on. */
  readonly via: 'session' | 'owned-key' | 'ownerless-key' | 'system';
};
