/** A reason why Holdfast cannot start that a person can mend: shown as one line, with the remedy, and exit code 1. */
export class StartProblem extends Error {
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(problem);
    this.name = 'StartProblem';
    this.remedy = remedy;
  }

  get line(): string {
    return `${this.message} ${this.remedy}`.replaceAll(/\s+/g, ' ');
  }
}
