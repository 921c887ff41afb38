import type { NotSaved } from '../outbox-interface.ts';
import {
  entryKeyOf,
  historyOf,
  isUnfinishedEntry,
  mayHaveBeenSent,
  nextLogRows,
} from '../queue/entry-history.ts';
import type { Decision, QueueSnapshot } from '../queue/queue-store.ts';
import { notSaved, recordsOf } from '../queue/records-of.ts';
import { rowVersion } from '../queue/stored-rows.ts';
import type { EntryRow, LogEvent } from '../queue/stored-rows.ts';
import type { ActionCancelled, ActionSaved } from './action-interface.ts';
import { actionType } from './action-words.ts';

export type NewAction = {
  readonly id: string;
  readonly body: string;
  readonly subject: string;
  readonly protocol: number;
  readonly nowMs: number;
};

export const actionKey = (id: string): string =>
  entryKeyOf({ operationId: id, type: actionType, commandId: id }, 1);

/** An action becomes an item, once for its ID. */
export const decideQueueAction =
  ({ id, body, subject, protocol, nowMs }: NewAction) =>
  (snapshot: QueueSnapshot): Decision<ActionSaved> => {
    if (snapshot.session.subject !== subject) return notSaved({ reason: 'signed-out' });
    const [here] = recordsOf(snapshot, id);
    if (here) {
      return here.entry.body === body
        ? { writes: {}, answer: { saved: true, id, again: true } }
        : notSaved({ reason: 'queued-otherwise', operationId: id });
    }
    const entry: EntryRow = {
      v: rowVersion,
      key: actionKey(id),
      operationId: id,
      commandId: id,
      type: actionType,
      subject,
      orderId: null,
      position: 1,
      supersedes: null,
      protocol,
      body,
      queuedAtMs: nowMs,
    };
    return { writes: { addEntries: [entry] }, answer: { saved: true, id, again: false } };
  };

const stays = (because: NotSaved | { readonly reason: 'may-have-been-sent' }): Decision<ActionCancelled> => ({
  writes: {},
  answer: { cancelled: false, because },
});

export type PersonsAct = 'cancel' | 'give-up' | 'dismiss';

/** What a person decides about an item that is here. The log tells of it. */
export const decideAct =
  (act: PersonsAct, id: string, nowMs: number) =>
  (snapshot: QueueSnapshot): Decision<ActionCancelled> => {
    const [record] = recordsOf(snapshot, id);
    if (record === undefined || record.entry.subject !== snapshot.session.subject) {
      return stays({ reason: 'nothing-there' });
    }
    const history = historyOf(record);
    const written = (event: LogEvent): Decision<ActionCancelled> => ({
      writes: { addLog: nextLogRows(record, nowMs, [event]) },
      answer: { cancelled: true },
    });
    if (act === 'dismiss') {
      const isRefused = history.ending?.how === 'verdict' && history.ending.status === 'rejected';
      return isRefused ? written({ kind: 'dismissed' }) : stays({ reason: 'nothing-there' });
    }
    if (history.ending?.how === 'dropped') return { writes: {}, answer: { cancelled: true } };
    if (!isUnfinishedEntry(history)) return stays({ reason: 'nothing-there' });
    if (!mayHaveBeenSent(history)) return written({ kind: 'dropped', because: 'dropped-unsent' });
    return act === 'cancel'
      ? stays({ reason: 'may-have-been-sent' })
      : written({ kind: 'dropped', because: 'given-up' });
  };
