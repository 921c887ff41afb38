import type { Command, Problem } from '@holdfast/operation';
import { problemOf } from '../intake/problem.ts';
import type { ChangeAnswer } from './change-operation.ts';
import type { OperationRow } from './schema.ts';

export type Decision = Exclude<Command, { type: 'propose' }>;

/** How one decision went: the operation as it is after it, or why not and whether that binds the command's ID. */
export type DecisionOutcome =
  | { readonly kind: 'done'; readonly row: OperationRow }
  | {
      readonly kind: 'refused';
      readonly problem: Problem;
      readonly binds: boolean;
      /** None where the operation is not known here. */
      readonly row: OperationRow | undefined;
    };

/** What the transition table answered, as a decision's outcome. The row was locked, so it cannot have changed. */
export const outcomeOf = (command: Decision, answer: ChangeAnswer): DecisionOutcome => {
  switch (answer.kind) {
    case 'moved':
    case 'ignored':
      return { kind: 'done', row: answer.row };
    case 'refused':
      return {
        kind: 'refused',
        binds: true,
        row: answer.row,
        problem: problemOf(answer.problem, answer.because, {
          operationId: command.operationId,
          commandId: command.commandId,
          ...(answer.refundableMinor === undefined || answer.row.currency === null
            ? {}
            : { refundable: { minor: answer.refundableMinor, currency: answer.row.currency } }),
        }),
      };
    case 'conflict':
      throw new Error(`operation ${command.operationId} changed under its own lock`);
  }
};
