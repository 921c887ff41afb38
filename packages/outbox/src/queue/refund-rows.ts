import { commandSchema, figureSchema, orderLineSchema, outsideId, problemSchema } from '@holdfast/operation';
import type { Command, Operation, Problem } from '@holdfast/operation';
import * as z from 'zod/mini';
import type { Draft, DraftContent } from '../outbox-interface.ts';
import type { QueueSnapshot, QueueStore } from './queue-store.ts';
import { rowVersionSchema } from './stored-rows.ts';
import type { EntryRecord } from './stored-rows.ts';
import type { StoredLanguage } from './words.ts';

/** The language of Holdfast's refunds, as it is stored. */
export type RefundWords = {
  readonly command: Command;
  readonly draft: Draft;
  readonly problem: Problem;
  readonly told: Operation;
};

export type RefundSnapshot = QueueSnapshot<RefundWords>;
export type RefundRecord = EntryRecord<RefundWords>;
export type RefundStore = QueueStore<RefundWords>;

const time = z.number();

export const draftRowSchema = z.object({
  v: rowVersionSchema,
  operationId: z.string(),
  subject: z.string(),
  /** Repeated beside `order`, as an index. */
  orderId: z.string(),
  order: z.object({
    id: outsideId,
    version: z.int(),
    lines: z.array(orderLineSchema),
    refundable: figureSchema,
  }),
  content: z.record(z.string(), z.unknown()),
  otherThan: z.nullable(z.string()),
  supersedes: z.nullable(z.string()),
  begunAtMs: time,
  savedAtMs: time,
});
export type DraftRow = z.infer<typeof draftRowSchema>;

export const draftOf = (row: DraftRow): Draft => ({
  operationId: row.operationId,
  subject: row.subject,
  order: row.order,
  content: row.content as DraftContent,
  otherThan: row.otherThan,
  supersedes: row.supersedes,
  begunAtMs: row.begunAtMs,
  savedAtMs: row.savedAtMs,
});

export const refundRows: StoredLanguage<RefundWords> = {
  readCommand(json) {
    const read = commandSchema.safeParse(json);
    if (!read.success) return { ok: false, because: z.prettifyError(read.error) };
    return { ok: true, value: { command: read.data, envelope: read.data } };
  },
  readDraft(raw) {
    const read = draftRowSchema.safeParse(raw);
    return read.success
      ? { ok: true, value: draftOf(read.data) }
      : { ok: false, because: z.prettifyError(read.error) };
  },
  readProblem(raw) {
    const read = problemSchema.safeParse(raw);
    return read.success
      ? { ok: true, value: read.data }
      : { ok: false, because: z.prettifyError(read.error) };
  },
};
