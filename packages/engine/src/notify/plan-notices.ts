import { judgeLimits, roleMay, type Amount, type Policy, type Role } from '@holdfast/operation';

/** What somebody is told of by themselves being wanted; `test` is what they asked for to see that it arrives. */
export const waitingKinds = [
  'approvals-wait',
  'nobody-can-approve',
  'case-untaken',
  'refund-came-back',
  'endpoint-failing',
  'proposals-in-a-burst',
] as const;
export type WaitingKind = (typeof waitingKinds)[number];
export type NoticeKind = WaitingKind | 'test';

export const chosenWays = ['push-else-mail', 'push', 'mail', 'off'] as const;
export type ChosenWay = (typeof chosenWays)[number];
export const usualWay: ChosenWay = 'push-else-mail';

/** A proposal that waits for approval. */
export type WaitingOperation = {
  readonly id: string;
  readonly amount: Amount;
  readonly proposedPerson: string;
  /** Whose approvals of it count already. */
  readonly approvedBy: readonly string[];
  /** When it came, or came back, before the approvers. */
  readonly sinceMs: number;
  /** Since when nobody in the organisation can approve it; `null` where somebody can. */
  readonly nobodySinceMs: number | null;
};

/** A case that nobody took in time; `sinceMs`: when that was found. */
export type UntakenCase = { readonly id: string; readonly sinceMs: number };

/** A refund that did not last, whose customer is still to be paid another way, and who had to do with it. */
export type CameBack = UntakenCase & { readonly people: readonly string[] };

export type Member = { readonly userId: string; readonly role: Role };

const mayApprove = (policy: Policy, { userId, role }: Member, operation: WaitingOperation): boolean =>
  roleMay(role, 'approver') &&
  (policy.proposerMayApprove || operation.proposedPerson !== userId) &&
  !operation.approvedBy.includes(userId) &&
  // What was used of a day is not counted: tomorrow it is theirs again, and they should know that it waits.
  judgeLimits(policy, {
    act: 'approve',
    person: userId,
    role,
    amount: operation.amount,
    onPaymentMinor: 0,
    onDayMinor: 0,
  }).length === 0;

/** Since when a proposal waits for this very person; `null` where it does not. */
const waitsSinceMs = (
  kind: 'approvals-wait' | 'nobody-can-approve',
  policy: Policy,
  member: Member,
  operation: WaitingOperation,
): number | null => {
  if (kind === 'nobody-can-approve') return member.role === 'admin' ? operation.nobodySinceMs : null;
  return mayApprove(policy, member, operation) ? operation.sinceMs : null;
};

type Waiting = {
  readonly policy: Policy;
  readonly operations: readonly WaitingOperation[];
  readonly cases: readonly UntakenCase[];
  readonly cameBack: readonly CameBack[];
  /** Webhook endpoints that have failed for a day. */
  readonly endpoints: readonly UntakenCase[];
  /** People, keys and assistants that proposed very much at once; since when: not said, for a burst goes on. */
  readonly bursts: readonly UntakenCase[];
};

/** What waits for this very person, and since when. */
const waitingFor = (
  kind: WaitingKind,
  member: Member,
  { policy, operations, cases, cameBack, endpoints, bursts }: Waiting,
): readonly UntakenCase[] => {
  if (kind === 'case-untaken') return roleMay(member.role, 'operator') ? cases : [];
  if (kind === 'proposals-in-a-burst') return roleMay(member.role, 'operator') ? bursts : [];
  if (kind === 'endpoint-failing') return member.role === 'admin' ? endpoints : [];
  if (kind === 'refund-came-back') return cameBack.filter(({ people }) => people.includes(member.userId));
  return operations.flatMap((operation) => {
    const sinceMs = waitsSinceMs(kind, policy, member, operation);
    return sinceMs === null ? [] : [{ id: operation.id, sinceMs }];
  });
};

/** How many wait for one person: what a notice says, judged when it leaves. */
export const countFor = (kind: WaitingKind, member: Member, waiting: Waiting): number =>
  waitingFor(kind, member, waiting).length;

/** Whether letters leave at all. `shown`: the demo prints them, which is not done unasked. */
export type MailOut = 'leaves' | 'shown' | 'nowhere';

export type Reach = {
  readonly userId: string;
  readonly chosen: ChosenWay;
  /** Browsers that still belong to a living session of theirs. */
  readonly devices: readonly string[];
  readonly lastPushMs: number | null;
  readonly lastMailMs: number | null;
};

/** A place where a notice goes: one browser, or the mailbox (`null`). */
export type Ways = { readonly way: 'push' | 'mail'; readonly places: readonly (string | null)[] };

const none: Ways = { way: 'push', places: [] };
const byMail: Ways = { way: 'mail', places: [null] };

/** Where one person is told: in their browsers, else by mail where they did not say otherwise. */
export const waysOf = ({ chosen, devices }: Pick<Reach, 'chosen' | 'devices'>, mail: MailOut): Ways => {
  switch (chosen) {
    case 'off':
      return none;
    case 'push':
      return { way: 'push', places: devices };
    case 'mail':
      return mail === 'nowhere' ? none : byMail;
    case 'push-else-mail':
      if (devices.length > 0) return { way: 'push', places: devices };
      return mail === 'leaves' ? byMail : none;
  }
};

/** So much time lies between two notices to one person: what comes meanwhile is told in one. */
export const restMs = { push: 60_000, mail: 15 * 60_000 } as const;
/** A proposal that is decided within this time tells nobody. */
export const quietMs = 15_000;

/** What somebody was told already, as `toldKey` writes it. */
export type Told = ReadonlySet<string>;
export const toldKey = (userId: string, kind: WaitingKind, operationId: string, sinceMs: number): string =>
  `${userId} ${kind} ${operationId} ${String(sinceMs)}`;

export type PlannedNotice = Ways & {
  readonly userId: string;
  readonly kind: WaitingKind;
  /** What this notice is the first to tell of. */
  readonly tells: readonly { readonly operationId: string; readonly sinceMs: number }[];
};

export type NoticeFacts = {
  readonly nowMs: number;
  readonly quietMs: number;
  readonly policy: Policy;
  readonly mail: MailOut;
  readonly operations: readonly WaitingOperation[];
  readonly cases: readonly UntakenCase[];
  readonly cameBack: readonly CameBack[];
  readonly endpoints: readonly UntakenCase[];
  readonly bursts: readonly UntakenCase[];
  readonly members: readonly Member[];
  readonly reach: ReadonlyMap<string, Reach>;
  readonly told: Told;
};

const restsStill = ({ nowMs }: NoticeFacts, reach: Reach, way: 'push' | 'mail'): boolean => {
  const lastMs = way === 'push' ? reach.lastPushMs : reach.lastMailMs;
  return lastMs !== null && nowMs - lastMs < restMs[way];
};

const isApproval = (kind: WaitingKind): boolean => kind === 'approvals-wait' || kind === 'nobody-can-approve';

const newFor = (facts: NoticeFacts, member: Member, kind: WaitingKind): PlannedNotice['tells'] =>
  waitingFor(kind, member, facts).flatMap(({ id, sinceMs }) => {
    // A case has waited long enough before it comes here at all.
    if (isApproval(kind) && facts.nowMs - sinceMs < facts.quietMs) return [];
    if (facts.told.has(toldKey(member.userId, kind, id, sinceMs))) return [];
    return [{ operationId: id, sinceMs }];
  });

/** Who is to be told now, of what, and where. In one order whoever plans, so that two planners never wait in a ring. */
export const planNotices = (facts: NoticeFacts): readonly PlannedNotice[] =>
  facts.members
    .toSorted((one, other) => (one.userId < other.userId ? -1 : 1))
    .flatMap((member) => {
      const reach = facts.reach.get(member.userId) ?? {
        ...{ userId: member.userId, chosen: usualWay, devices: [], lastPushMs: null, lastMailMs: null },
      };
      const ways = waysOf(reach, facts.mail);
      if (ways.places.length === 0 || restsStill(facts, reach, ways.way)) return [];
      return waitingKinds.flatMap((kind): readonly PlannedNotice[] => {
        const tells = newFor(facts, member, kind).toSorted((one, other) =>
          one.operationId < other.operationId ? -1 : 1,
        );
        return tells.length === 0 ? [] : [{ userId: member.userId, kind, ...ways, tells }];
      });
    });
