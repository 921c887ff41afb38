import { commandResultSchema, lookupResponseSchema, problemSlug, protocolVersion } from '@holdfast/operation';
import type { ProblemSlug } from '@holdfast/operation';
import type { KeptReason } from '../outbox-interface.ts';
import { refundRows } from '../queue/refund-rows.ts';
import type { RefundWords } from '../queue/refund-rows.ts';
import type { WireLanguage } from './wire-language.ts';

/** A problem with the whole request, or one that binds no command: why the entry is kept. `null`: it is a verdict. */
const keptFor: Record<ProblemSlug, KeptReason | null> = {
  unauthenticated: 'sign-in',
  forbidden: 'not-allowed',
  'wrong-subject': 'wrong-subject',
  'rate-limited': 'slow-down',
  unavailable: 'server-trouble',
  'unsupported-protocol': 'update-needed',
  'not-found': 'not-known-there',
  invalid: null,
  'too-large': null,
  'operation-mismatch': null,
  'not-eligible': null,
  'exceeds-refundable': null,
  'possible-duplicate': null,
  'stale-approval': null,
  'already-decided': null,
  stale: null,
  'too-late': null,
};

/** How Holdfast's refunds are sent, and which of its words count. */
export const refundWire: WireLanguage<RefundWords> = {
  path: '/v1/commands',
  readProblem: refundRows.readProblem,
  readResult(raw) {
    const read = commandResultSchema.safeParse(raw);
    return read.success ? read.data : undefined;
  },
  ofRequest(problem) {
    const slug = problemSlug(problem);
    if (slug === undefined) return { reason: 'not-understood', detail: problem.type };
    const reason = slug === 'too-large' ? 'too-large' : (keptFor[slug] ?? 'not-understood');
    return { reason, detail: problem.detail };
  },
  ofCommand(problem) {
    const slug = problemSlug(problem);
    if (slug === undefined) return { reason: 'not-understood', detail: problem.type };
    const reason = keptFor[slug];
    return reason === null ? null : { reason, detail: problem.detail };
  },
  lookUp: {
    path: '/v1/operations/lookup',
    protocol: protocolVersion,
    textOf: (ids) => JSON.stringify({ ids }),
    read(json) {
      const read = lookupResponseSchema.safeParse(json);
      return read.success ? new Map(Object.entries(read.data.operations)) : undefined;
    },
  },
};
