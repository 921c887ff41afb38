import { problemStatus, problemTypePrefix, type Problem, type ProblemSlug } from '@holdfast/operation';

const titles: Record<ProblemSlug, string> = {
  invalid: 'Something in the request cannot be used',
  unauthenticated: 'Sign in first',
  forbidden: 'Not allowed',
  'wrong-subject': 'Somebody else gave this command',
  'not-found': 'Not found',
  'operation-mismatch': 'This ID is known with other contents',
  'not-eligible': 'Not eligible for a refund',
  'exceeds-refundable': 'More than is refundable',
  'possible-duplicate': 'This may be a refund that exists already',
  'stale-approval': 'What you approved is not what is here now',
  'already-decided': 'Already decided',
  stale: 'It changed in the meantime',
  'too-late': 'Too late',
  'rate-limited': 'Too many requests',
  'too-large': 'Too large',
  'unsupported-protocol': 'This version of the protocol is not served',
  unavailable: 'Not available now',
};

/**
 * Whether sending exactly the same again cannot help. An operation or order that is not known may still arrive (a
 * restored server hears of it again; an import is late), and another person may sign in, so those are not final.
 */
const finalBySlug: Record<ProblemSlug, boolean> = {
  invalid: true,
  unauthenticated: false,
  forbidden: true,
  'wrong-subject': false,
  'not-found': false,
  'operation-mismatch': true,
  'not-eligible': true,
  'exceeds-refundable': true,
  'possible-duplicate': true,
  'stale-approval': true,
  'already-decided': true,
  stale: true,
  'too-late': true,
  'rate-limited': false,
  'too-large': true,
  'unsupported-protocol': false,
  unavailable: false,
};

export type ProblemExtras = Omit<Partial<Problem>, 'type' | 'title' | 'status' | 'detail'>;

/** One problem as it goes over the wire. `detail` is a sentence for people. */
export const problemOf = (slug: ProblemSlug, detail: string, extras: ProblemExtras = {}): Problem => ({
  type: `${problemTypePrefix}${slug}`,
  title: titles[slug],
  status: problemStatus[slug],
  detail,
  final: finalBySlug[slug],
  ...extras,
});
