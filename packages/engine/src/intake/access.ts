import {
  mayDiffer,
  operatorOnlyReasons,
  roleMay,
  type Actor,
  type Command,
  type Problem,
} from '@holdfast/operation';
import { problemOf } from './problem.ts';

/** What an environment lets programs do. */
export type AccessRules = {
  /** Whether API keys of approvers and operators may approve and settle. People always may. */
  readonly keysMayDecide: boolean;
};

/**
 * Who counts where two people are needed: a key counts as its owner (the actor's ID already is), and all ownerless
 * keys of one role count as one person.
 */
export const personOf = (actor: Actor): string =>
  actor.via === 'ownerless-key' ? `keys of role ${actor.role}` : actor.id;

/** Why this actor may not give this command at all, before anything is looked up; `undefined` when they may. */
export const refusedAccess = (
  { actor, subject = actor.id }: { readonly actor: Actor; readonly subject?: string },
  command: Command,
  rules: AccessRules,
): Problem | undefined => {
  const extras = { operationId: command.operationId, commandId: command.commandId };
  if (command.subject !== undefined && command.subject !== subject) {
    return problemOf(
      'wrong-subject',
      'This command was given by somebody else, or for another organisation; it waits until they sign in for that.',
      extras,
    );
  }
  const because = reasonOfRefusal(actor, command, rules);
  return because === undefined ? undefined : problemOf('forbidden', because, extras);
};

const reasonOfRefusal = (actor: Actor, command: Command, rules: AccessRules): string | undefined => {
  switch (command.type) {
    case 'propose':
      if (!roleMay(actor.role, 'agent') && !roleMay(actor.role, 'operator'))
        return 'Only agents and operators propose refunds.';
      if (operatorOnlyReasons.includes(command.reason) && !roleMay(actor.role, 'operator'))
        return 'Only operators may give this reason: it puts the customer’s card on a block list.';
      if ((command.differentFrom?.length ?? 0) > 0 && !mayDiffer(actor))
        return 'Only a person may say that this differs from another refund.';
      return undefined;
    case 'approve':
      if (!roleMay(actor.role, 'approver')) return 'Only approvers decide about proposals.';
      return programMayNotDecide(actor, rules);
    case 'withdraw':
    case 'deny':
      if (!roleMay(actor.role, 'approver')) return 'Only approvers decide about proposals.';
      // Neither lets money move, so keys need no leave for them.
      return assistantMayNotDecide(actor);
    case 'cancel':
      return roleMay(actor.role, 'agent') || roleMay(actor.role, 'operator')
        ? undefined
        : 'Only agents and operators cancel what they proposed.';
    case 'resolve':
      if (!roleMay(actor.role, 'operator')) return 'Only operators settle an outcome.';
      return programMayNotDecide(actor, rules);
  }
};

const programMayNotDecide = (actor: Actor, rules: AccessRules): string | undefined => {
  const because = assistantMayNotDecide(actor);
  if (because !== undefined) return because;
  if (actor.via !== 'session' && !rules.keysMayDecide)
    return 'API keys may not decide here; a person has to.';
  return undefined;
};

const assistantMayNotDecide = (actor: Actor): string | undefined =>
  actor.assistant ? 'An assistant proposes; it never approves, denies or settles.' : undefined;
