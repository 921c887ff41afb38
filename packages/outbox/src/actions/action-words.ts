import * as z from 'zod/mini';
import type { KeptReason } from '../outbox-interface.ts';
import type { ProblemDetails, Reading, StoredDraft, StoredLanguage, ToldState } from '../queue/words.ts';
import type { WireLanguage } from '../send/wire-language.ts';
import type { ActionSchema } from './action-interface.ts';

/** The language of plain actions: an ID, whose it is, and the action itself. */
export type ActionWords<Action> = {
  readonly command: Action;
  readonly draft: StoredDraft;
  readonly problem: ProblemDetails;
  readonly told: ToldState;
};

export const actionType = 'action';

const textSchema = z.object({
  commandId: z.string(),
  type: z.literal(actionType),
  subject: z.string(),
  action: z.unknown(),
});

const problemSchema = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.optional(z.string()),
});

const resultSchema = z.object({
  commandId: z.string(),
  status: z.enum(['applied', 'replayed', 'rejected']),
  problem: z.optional(problemSchema),
});

export type ActionIssues = readonly { readonly path: string; readonly message: string }[];
export type CheckedAction<Action> =
  { readonly ok: true; readonly action: Action } | { readonly ok: false; readonly issues: ActionIssues };

export const checkAction = <Action>(schema: ActionSchema<Action>, value: unknown): CheckedAction<Action> => {
  const checked = schema['~standard'].validate(value);
  if (checked instanceof Promise) throw new TypeError('the schema of an action has to answer at once');
  if (checked.issues === undefined) return { ok: true, action: checked.value };
  const nameOf = (step: PropertyKey | { readonly key: PropertyKey }): string =>
    String(typeof step === 'object' ? step.key : step);
  const issues = checked.issues.map(({ path, message }) => ({
    path: (path ?? []).map(nameOf).join('.'),
    message,
  }));
  return { ok: false, issues };
};

/** An action as its JSON text: the very bytes of every attempt. */
export const actionText = (commandId: string, subject: string, action: unknown): string =>
  JSON.stringify({ commandId, type: actionType, subject, action });

const readProblem = (raw: unknown): Reading<ProblemDetails> => {
  const read = problemSchema.safeParse(raw);
  return read.success ? { ok: true, value: read.data } : { ok: false, because: z.prettifyError(read.error) };
};

export const actionRows = <Action>(schema: ActionSchema<Action>): StoredLanguage<ActionWords<Action>> => ({
  readCommand(json) {
    const read = textSchema.safeParse(json);
    if (!read.success) return { ok: false, because: z.prettifyError(read.error) };
    const { commandId, type, subject } = read.data;
    const checked = checkAction(schema, read.data.action);
    if (!checked.ok) {
      return {
        ok: false,
        because: checked.issues.map((issue) => `${issue.path}: ${issue.message}`).join('\n'),
      };
    }
    return {
      ok: true,
      value: { command: checked.action, envelope: { commandId, operationId: commandId, type, subject } },
    };
  },
  readDraft: () => ({ ok: false, because: 'plain actions have no drafts' }),
  readProblem,
});

/** What a status says of who was asked rather than of what was asked: such a word binds no action. */
const keptByStatus: Readonly<Record<number, KeptReason>> = {
  401: 'sign-in',
  403: 'not-allowed',
  408: 'server-trouble',
  426: 'update-needed',
  429: 'slow-down',
};

const reasonOf = (status: number): KeptReason | null => {
  const reason = keptByStatus[status];
  if (reason !== undefined) return reason;
  if (status >= 500) return 'server-trouble';
  return status >= 400 ? null : 'not-understood';
};

/** The server's half is written down in the package's README. */
export const actionWire = <Action>(path: string): WireLanguage<ActionWords<Action>> => ({
  path,
  readProblem,
  readResult(raw) {
    const read = resultSchema.safeParse(raw);
    return read.success ? read.data : undefined;
  },
  ofRequest({ status, type, detail }) {
    const reason = status === 413 ? 'too-large' : (reasonOf(status) ?? 'not-understood');
    return { reason, detail: detail ?? type };
  },
  ofCommand({ status, type, detail }) {
    const reason = reasonOf(status);
    return reason === null ? null : { reason, detail: detail ?? type };
  },
  lookUp: null,
});
