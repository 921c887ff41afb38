import type { MemberFacts } from './member-decision.ts';

const dayMs = 86_400_000;

/** So long a recovery waits for the second admin. */
export const recoveryWaitsForMs = 7 * dayMs;

/** So long the link to begin anew works, once. */
export const recoveryLinkForMs = dayMs;

export const recoveryEnds = ['agreed', 'withdrawn', 'expired'] as const;
export type RecoveryEnd = (typeof recoveryEnds)[number];

export type RecoveryFacts = {
  readonly person: string;
  readonly startedBy: string;
  readonly expiresAtMs: number;
  readonly endedAs: RecoveryEnd | null;
};

/** Judged under the lock of every admin's row, and of the person's. */
export type RecoveryScene = {
  /** Who asks. */
  readonly by: string;
  /** Every admin, the one who asks and the person, as they are now. */
  readonly members: readonly MemberFacts[];
  /** The person belongs to another organisation as well, whose admins did not say yes. */
  readonly isElsewhere: boolean;
  readonly nowMs: number;
};

export type StartVerdict =
  | 'go'
  | 'no-admin-any-more'
  | 'not-found'
  | 'own-sign-in'
  | 'member-elsewhere'
  | 'waits-already'
  | 'nobody-could-agree';

const adminsOf = ({ members }: RecoveryScene): readonly string[] =>
  members.filter(({ role, isRemoved }) => role === 'admin' && !isRemoved).map(({ userId }) => userId);

const isHere = ({ members }: RecoveryScene, person: string): boolean =>
  members.some(({ userId, isRemoved }) => userId === person && !isRemoved);

/** @param waiting the recovery of this person that has not ended, if there is one */
export const judgeStart = (
  scene: RecoveryScene,
  person: string,
  waiting: RecoveryFacts | undefined,
): StartVerdict => {
  const admins = adminsOf(scene);
  if (!admins.includes(scene.by)) return 'no-admin-any-more';
  if (!isHere(scene, person)) return 'not-found';
  if (scene.by === person) return 'own-sign-in';
  if (scene.isElsewhere) return 'member-elsewhere';
  if (waiting !== undefined && waiting.expiresAtMs > scene.nowMs) return 'waits-already';
  return admins.some((admin) => admin !== scene.by && admin !== person) ? 'go' : 'nobody-could-agree';
};

export type AgreeVerdict =
  | 'go'
  | 'no-admin-any-more'
  | 'not-found'
  | 'own-sign-in'
  | 'same-admin'
  | 'member-elsewhere'
  | 'starter-is-no-admin'
  | 'person-left'
  | RecoveryEnd;

/** The second word. It counts only while the first one still does: who gave it has to be an admin yet. */
export const judgeAgree = (scene: RecoveryScene, recovery: RecoveryFacts | undefined): AgreeVerdict => {
  const admins = adminsOf(scene);
  if (!admins.includes(scene.by)) return 'no-admin-any-more';
  if (recovery === undefined) return 'not-found';
  if (recovery.endedAs !== null) return recovery.endedAs;
  if (recovery.expiresAtMs <= scene.nowMs) return 'expired';
  if (recovery.person === scene.by) return 'own-sign-in';
  if (recovery.startedBy === scene.by) return 'same-admin';
  if (!admins.includes(recovery.startedBy)) return 'starter-is-no-admin';
  if (!isHere(scene, recovery.person)) return 'person-left';
  return scene.isElsewhere ? 'member-elsewhere' : 'go';
};

export type WithdrawVerdict = 'go' | 'no-admin-any-more' | 'not-found' | 'agreed' | 'nothing-to-do';

/** Any admin stops one, also the person whose sign-in it is: a "no" needs nobody else. */
export const judgeWithdraw = (scene: RecoveryScene, recovery: RecoveryFacts | undefined): WithdrawVerdict => {
  if (!adminsOf(scene).includes(scene.by)) return 'no-admin-any-more';
  if (recovery === undefined) return 'not-found';
  switch (recovery.endedAs) {
    case null:
      return 'go';
    case 'agreed':
      return 'agreed';
    case 'withdrawn':
    case 'expired':
      return 'nothing-to-do';
  }
};
