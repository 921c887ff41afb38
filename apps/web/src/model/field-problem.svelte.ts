import { refusalText } from './refusal-text.ts';
import type { Answer } from './server.ts';

/** What is wrong with one field of a form, by the form's own judgement or by the server's. */
export class FieldProblem {
  #problem = $state.raw<{ readonly field: string; readonly says: string } | null>(null);
  readonly #fields: readonly [string, ...string[]];

  /** @param fields those of the form; what names none of them is said at the first */
  constructor(...fields: readonly [string, ...string[]]) {
    this.#fields = fields;
  }

  of(field: string): string | null {
    return this.#problem?.field === field ? this.#problem.says : null;
  }

  say(field: string, says: string): void {
    this.#problem = { field, says };
  }

  sayWhy(answer: Exclude<Answer<unknown>, { kind: 'answer' }>): void {
    const issue = answer.kind === 'refused' ? answer.problem?.issues?.[0] : undefined;
    if (issue !== undefined && this.#fields.includes(issue.path)) this.say(issue.path, issue.message);
    else this.say(this.#fields[0], refusalText(answer));
  }

  clear(): void {
    this.#problem = null;
  }
}
