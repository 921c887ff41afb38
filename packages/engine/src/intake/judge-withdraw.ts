import { approvalsSuffice, type Amount, type Command, type Policy } from '@holdfast/operation';
import { problemOf } from './problem.ts';
import { refuse, type Judgement } from './verdict.ts';

export type WithdrawCommand = Extract<Command, { type: 'withdraw' }>;

export type WithdrawFacts = {
  readonly person: string;
  /** Whether an approval of theirs is in force, whether it still counts or not. */
  readonly stands: boolean;
  /** Whose approvals count by the policy as it is now. */
  readonly counting: readonly string[];
  /** Whether this person ever approved it, in force or not. */
  readonly everApproved: boolean;
  readonly policy: Policy;
  /** `null` for a cancellation remembered for an ID that never arrived: nobody ever approved it. */
  readonly amount: Amount | null;
};

export type WithdrawEffect = {
  /** True while the approvals of others are enough by themselves: it stays approved. */
  readonly othersSuffice: boolean;
};

/** An approval is taken back by whoever gave it. Whether it still can be is for the transition table. */
export const judgeWithdraw = (command: WithdrawCommand, facts: WithdrawFacts): Judgement<WithdrawEffect> => {
  const ids = { operationId: command.operationId, commandId: command.commandId };
  // Whoever may approve may ask this; that there is nothing to take back is a verdict about state, and it ends there.
  if (!facts.everApproved) {
    return refuse(problemOf('too-late', 'You have not approved it, so there is nothing to take back.', ids));
  }
  if (!facts.stands) {
    return refuse(
      problemOf('too-late', 'Your approval no longer stands; it was taken back or is void.', ids),
    );
  }
  const others = facts.counting.filter((person) => person !== facts.person);
  const othersSuffice = facts.amount !== null && approvalsSuffice(facts.policy, facts.amount, others);
  return { kind: 'go-on', effect: { othersSuffice } };
};
