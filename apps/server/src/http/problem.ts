import { problemOf as problemOfSlug } from '@holdfast/engine';
import type { Problem, ProblemSlug } from '@holdfast/operation';

type Extras = { readonly status?: number; readonly [field: string]: unknown };

/**
 * A problem of ours (RFC 9457), with the title and the finality that its slug has everywhere. `extras` are the slug's own
 * fields; `status` only where it is not the slug's own.
 */
export const problemOf = (slug: ProblemSlug, detail: string, extras: Extras = {}): Problem => ({
  ...problemOfSlug(slug, detail),
  ...extras,
});

export const problemResponse = (problem: Problem, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
  });

/** Thrown where judging ends with a refusal; the pipeline answers it. */
export class Refusal extends Error {
  readonly problem: Problem;
  readonly headers: Record<string, string>;

  constructor(problem: Problem, headers: Record<string, string> = {}) {
    super(problem.title);
    this.problem = problem;
    this.headers = headers;
  }
}

export const refuse = (slug: ProblemSlug, detail: string, extras: Extras = {}): Refusal =>
  new Refusal(problemOf(slug, detail, extras));

export type FieldIssue = { readonly path: string; readonly message: string };

/** Fields that are not valid: 422, each named. */
export const invalidFields = (issues: readonly FieldIssue[]): Problem =>
  problemOf(
    'invalid',
    issues
      .map((issue) => `${issue.path}: ${issue.message}`)
      .join('; ')
      .slice(0, 2_000),
    { issues },
  );

/** Not readable at all (not JSON, a bad ID): 400. */
export const unreadable = (detail: string): Refusal => refuse('invalid', detail, { status: 400 });

/** A page's cursor that is none of ours: 400, and the field is named. */
export const badCursor = (): Refusal =>
  refuse('invalid', 'cursor: is not one that a list of ours answered with.', {
    status: 400,
    issues: [{ path: 'cursor', message: 'is not one that a list of ours answered with' }],
  });
