import type { Command } from '@holdfast/operation';
import { problemOf } from './problem.ts';
import { refuse, type Judgement } from './verdict.ts';

export type EndCommand = Extract<Command, { type: 'deny' | 'cancel' }>;

export type EndFacts = { readonly proposedPerson: string; readonly person: string };

/** Denying is any approver's; cancelling is the proposer's. Whether it still can end is for the transition table. */
export const judgeEnd = (command: EndCommand, facts: EndFacts): Judgement<null> =>
  command.type === 'cancel' && facts.person !== facts.proposedPerson
    ? refuse(
        problemOf('forbidden', 'Only who proposed it cancels it; an approver can deny it.', {
          operationId: command.operationId,
          commandId: command.commandId,
        }),
        false,
      )
    : { kind: 'go-on', effect: null };
