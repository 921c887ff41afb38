import { problemStatus, problemTypePrefix, type Problem, type ProblemSlug } from '@holdfast/operation';

const titles: Record<ProblemSlug, string> = {
  invalid: 'The request is not valid',
  unauthenticated: 'Sign in first',
  forbidden: 'Your role does not allow this',
  'wrong-subject': 'This command was given by somebody else',
  'not-found': 'There is nothing here',
  'operation-mismatch': 'This ID already stands for something else',
  'not-eligible': 'This cannot be refunded',
  'exceeds-refundable': 'More than can be refunded',
  'possible-duplicate': 'This may be a duplicate',
  'stale-approval': 'What was approved has changed',
  'already-decided': 'It was decided already',
  stale: 'It has changed since you saw it',
  'too-late': 'It is too late for this',
  'rate-limited': 'Too many requests',
  'too-large': 'The request is too large',
  'unsupported-protocol': 'This server does not speak that version',
  unavailable: 'Holdfast cannot answer right now',
};

/** Sending the same again cannot help. Everything else may be sent again, as it is. */
const finalSlugs: readonly ProblemSlug[] = ['invalid', 'forbidden', 'too-large', 'operation-mismatch'];

type Extras = { readonly status?: number; readonly [field: string]: unknown };

/** A problem of ours (RFC 9457). `extras` are the slug's own fields; `status` only where it is not the slug's own. */
export const problemOf = (slug: ProblemSlug, detail: string, extras: Extras = {}): Problem => ({
  type: `${problemTypePrefix}${slug}`,
  title: titles[slug],
  status: problemStatus[slug],
  detail,
  final: finalSlugs.includes(slug),
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
