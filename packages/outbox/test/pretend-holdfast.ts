import type { Command, CommandResult, Operation } from '@holdfast/operation';
import { sampleOperation, sampleProblem } from './samples.ts';

const problemOf = (slug: string, status: number, final = true): NonNullable<CommandResult['problem']> =>
  sampleProblem(slug, status, final);

/**
 * A small server with the promises that the outbox leans on: an ID binds one acceptance, a decision's first verdict
 * stays, a cancellation of an unknown ID is remembered. It keeps every text that reached it.
 */
export class PretendHoldfast {
  readonly operations = new Map<string, Operation>();
  /** Every copy of every command, as text, in order of arrival. */
  readonly arrived: { commandId: string; type: string; text: string }[] = [];
  readonly lookedUp: string[][] = [];
  readonly #verdicts = new Map<string, CommandResult>();
  /** Who approved each operation, and did not take it back. */
  readonly #approvedBy = new Map<string, Set<string>>();
  /** Operations whose proposal is refused as a possible duplicate, until it says what it differs from. */
  readonly refused = new Set<string>();
  /** Operations of which commands are answered by "you may not". */
  readonly forbidden = new Set<string>();
  /** Operations that are past cancelling. */
  readonly underWay = new Set<string>();

  /** Texts of the commands that arrived under an ID: more than one only by resending, and then all equal. */
  textsOf(commandId: string): string[] {
    return this.arrived.filter((copy) => copy.commandId === commandId).map(({ text }) => text);
  }

  /** Which history it is in: a restore begins another. */
  history = 1;
  /** Every verdict that was ever given on a command, in whichever history. */
  readonly judged = new Map<string, Set<CommandResult['status']>>();

  /** Whether this person's approval stands. */
  hasApproved(operationId: string, subject: string): boolean {
    return this.#approvedBy.get(operationId)?.has(subject) ?? false;
  }

  /** Forgets everything, as a server restored from an empty backup. */
  forgetEverything(): void {
    this.history += 1;
    this.operations.clear();
    this.#verdicts.clear();
    this.#approvedBy.clear();
  }

  commands(body: string): string {
    const { commands } = JSON.parse(body) as { commands: Command[] };
    const texts = commands.map((command) => JSON.stringify(command));
    // Then each text is the very bytes that came.
    if (body !== `{"commands":[${texts.join(',')}]}`) throw new Error('not written as it was stored');
    const results = commands.map((command, index) => this.#take(command, texts[index] ?? ''));
    for (const { commandId, status } of results) {
      const given = this.judged.get(commandId);
      if (given) given.add(status);
      else this.judged.set(commandId, new Set([status]));
    }
    return JSON.stringify({ results });
  }

  lookup(body: string): string {
    const { ids } = JSON.parse(body) as { ids: string[] };
    this.lookedUp.push(ids);
    const operations = Object.fromEntries(ids.map((id) => [id, this.operations.get(id) ?? null]));
    return JSON.stringify({ operations });
  }

  /** How many sessions were ended here. */
  signOuts = 0;

  signOut(): string {
    this.signOuts += 1;
    return JSON.stringify({ success: true });
  }

  change(id: string, change: Partial<Operation>): void {
    const operation = this.operations.get(id);
    if (operation) this.operations.set(id, { ...operation, ...change, version: operation.version + 1 });
  }

  #take(command: Command, text: string): CommandResult {
    const { commandId } = command;
    this.arrived.push({ commandId, type: command.type, text });
    if (this.forbidden.has(command.operationId)) {
      return { commandId, status: 'rejected', problem: problemOf('forbidden', 403) };
    }
    const known = this.#verdicts.get(commandId);
    if (known && command.type !== 'propose') {
      return known.status === 'rejected' ? known : { ...known, status: 'replayed' };
    }
    const result = command.type === 'propose' ? this.#propose(command) : this.#decide(command);
    if (result.problem?.type.endsWith('/not-found') !== true) this.#verdicts.set(commandId, result);
    return result;
  }

  #propose(command: Extract<Command, { type: 'propose' }>): CommandResult {
    const { commandId, operationId } = command;
    const known = this.operations.get(operationId);
    if (known) return { commandId, status: 'replayed', operation: known };
    if (this.refused.has(operationId) && !command.differentFrom) {
      return { commandId, status: 'rejected', problem: problemOf('possible-duplicate', 409, false) };
    }
    const operation = sampleOperation(operationId, {
      amount: command.amount,
      orderId: command.orderId,
      proposedBy: { id: command.subject ?? '', name: command.subject ?? '', assistant: false },
    });
    this.operations.set(operationId, operation);
    return { commandId, status: 'applied', operation };
  }

  #decide(command: Exclude<Command, { type: 'propose' }>): CommandResult {
    const { commandId, operationId } = command;
    const known = this.operations.get(operationId);
    if (command.type === 'cancel' && !known) {
      const operation = sampleOperation(operationId, { state: 'cancelled', amount: null, orderId: null });
      this.operations.set(operationId, operation);
      return { commandId, status: 'applied', operation };
    }
    if (!known) return { commandId, status: 'rejected', problem: problemOf('not-found', 404, false) };
    const isTooLate =
      this.underWay.has(operationId) || known.state === 'cancelled' || known.state === 'denied';
    if (isTooLate) {
      return { commandId, status: 'rejected', operation: known, problem: problemOf('too-late', 409) };
    }
    const approvedBy = this.#approvedBy.get(operationId) ?? new Set<string>();
    this.#approvedBy.set(operationId, approvedBy);
    const subject = command.subject ?? '';
    if (command.type === 'withdraw' && !approvedBy.delete(subject)) {
      return { commandId, status: 'rejected', operation: known, problem: problemOf('too-late', 409) };
    }
    if (command.type === 'approve') approvedBy.add(subject);
    const states = {
      approve: 'approved',
      withdraw: approvedBy.size > 0 ? 'approved' : 'proposed',
      deny: 'denied',
      cancel: 'cancelled',
    } as const;
    const state = command.type === 'resolve' ? command.outcome : states[command.type];
    this.change(operationId, { state });
    return { commandId, status: 'applied', operation: this.operations.get(operationId) ?? known };
  }
}
