import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { actionKey, decideAct, decideQueueAction } from '../src/actions/action-decision.ts';
import { actionRows, actionText, actionWire } from '../src/actions/action-words.ts';
import type { QueueSnapshot } from '../src/queue/queue-store.ts';
import { snapshotOf } from '../src/queue/snapshot.ts';
import type { EntryRow, LogEvent } from '../src/queue/stored-rows.ts';
import { evidentItems } from '../src/read/item-evidence.ts';
import { classify } from '../src/send/batch-verdict.ts';
import { createMint } from './samples.ts';

const schema = z.object({ meter: z.string(), reading: z.number() });
const id = createMint(7)();
const nowMs = 1_764_000_000_000;
const session = { subject: 'ann', epoch: 1, signInNeeded: false, retell: false, signOutOwed: false };
const action = { meter: 'M-17', reading: 4711 };
const body = actionText(id, 'ann', action);
const asked = { id, body, subject: 'ann', protocol: 1, nowMs };

const snapshot = (entries: readonly EntryRow[], events: readonly LogEvent[] = [], readBy = schema) => {
  const key = actionKey(id);
  const log = events.map((event, index) => {
    const place = String(index + 1).padStart(6, '0');
    return { v: 1, id: `${key}#${place}`, entryKey: key, atMs: nowMs, event };
  });
  return snapshotOf(actionRows(readBy), { drafts: [], entries, log, session, lease: null });
};
const stored = (): readonly EntryRow[] => decideQueueAction(asked)(snapshot([])).writes.addEntries ?? [];
const attempt = { kind: 'attempt-started', attemptId: 'a', commandCount: 1 } as const;
const act = (name: 'cancel' | 'give-up', at: QueueSnapshot) => decideAct(name, id, nowMs)(at).answer;

describe('a plain action in the queue', () => {
  // Red when: a second tap adds a row, or other bytes pass under the same ID.
  it('is one item for its ID', () => {
    const again = decideQueueAction(asked)(snapshot(stored()));
    expect(again).toEqual({ writes: {}, answer: { saved: true, id, again: true } });
    const other = decideQueueAction({ ...asked, body: actionText(id, 'ann', {}) })(snapshot(stored()));
    expect(other.answer).toMatchObject({ saved: false, because: { reason: 'queued-otherwise' } });
  });

  // Red when: what may have been sent can be cancelled here.
  it('is taken back only while it was never sent', () => {
    expect(act('cancel', snapshot(stored()))).toEqual({ cancelled: true });
    const because = { reason: 'may-have-been-sent' };
    expect(act('cancel', snapshot(stored(), [attempt]))).toEqual({ cancelled: false, because });
    expect(act('give-up', snapshot(stored(), [attempt]))).toEqual({ cancelled: true });
  });

  // Red when: rows that the schema of today does not read are skipped, or shown as items.
  it('is set aside, not lost, when its schema no longer reads it', () => {
    expect(evidentItems(snapshot(stored()), nowMs)).toMatchObject([{ evidence: { safety: 'saved' } }]);
    const narrow = z.object({ meter: z.string(), reading: z.number().check(z.maximum(10)) });
    const { records, unreadable } = snapshot(stored(), [], narrow);
    expect(records).toEqual([]);
    expect(unreadable).toMatchObject([{ table: 'entries', operationId: id }]);
  });
});

describe('which words of a server end a plain action', () => {
  const answer = (results: unknown, status = 200, contentType = 'application/json') =>
    classify(
      actionWire<typeof action>('/readings'),
      {
        kind: 'answered',
        status,
        redirected: false,
        contentType,
        retryAfter: null,
        text: JSON.stringify(results),
      },
      { commandId: id, operationId: id },
      nowMs,
    );
  const refused = (status: number) => ({
    results: [{ commandId: id, status: 'rejected', problem: { type: 'x:y', title: 'No', status } }],
  });

  // Red when: a problem that speaks of who was asked, or one of no known status, ends the action.
  it('a refusal by a 4xx problem does, and a problem with who asks does not', () => {
    expect(answer({ results: [{ commandId: id, status: 'replayed' }] })).toMatchObject({ kind: 'verdict' });
    expect(answer(refused(422))).toMatchObject({ kind: 'verdict', result: { status: 'rejected' } });
    expect(answer(refused(401))).toMatchObject({ kind: 'kept', reason: 'sign-in' });
    expect(answer(refused(503))).toMatchObject({ kind: 'kept', reason: 'server-trouble' });
    expect(answer(refused(200))).toMatchObject({ kind: 'kept', reason: 'not-understood' });
    const bare = { results: [{ commandId: id, status: 'rejected' }] };
    expect(answer(bare)).toMatchObject({ kind: 'kept', reason: 'not-understood' });
  });

  it('a problem with the whole request never does, and is the server’s own only with its own status', () => {
    const own = { type: 'x:y', title: 'No', status: 426 };
    expect(answer(own, 426, 'application/problem+json')).toMatchObject({ reason: 'update-needed' });
    expect(answer(own, 403, 'application/problem+json')).toMatchObject({ reason: 'foreign-answer' });
    const bad = { ...own, status: 422 };
    expect(answer(bad, 422, 'application/problem+json')).toMatchObject({ reason: 'not-understood' });
  });
});
