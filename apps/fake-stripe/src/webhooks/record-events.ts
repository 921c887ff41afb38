import { sendingKinds } from '../faults/fault.ts';
import { selectFault } from '../faults/select-fault.ts';
import type { JournalEntry } from '../ledger/journal-entry.ts';
import { countFault, type Ledger } from '../ledger/ledger.ts';
import type { ArmedFault, DeliveryRecord, EventRecord } from '../ledger/records.ts';
import type { Mint } from '../mint.ts';

export type EventDraft = Omit<EventRecord, 'id'>;

/** Turns what happened into events with a plan of delivery, using up the webhook faults on the way. */
export function recordEvents(
  ledger: Ledger,
  drafts: readonly EventDraft[],
  nowMs: number,
  mint: Mint,
): JournalEntry[] {
  // Several events of one commit must see each other's use of a fault, and the ledger is not folded yet.
  const faults = new Map(ledger.faults);
  return drafts.flatMap((draft) => recordEvent(draft, faults, ledger.endpoint !== null, nowMs, mint));
}

function recordEvent(
  draft: EventDraft,
  faults: Map<string, ArmedFault>,
  addressed: boolean,
  nowMs: number,
  mint: Mint,
): JournalEntry[] {
  const event: EventRecord = { id: mint('evt'), ...draft };
  if (!addressed) {
    const plan = { state: 'unaddressed', dueMs: nowMs, copiesLeft: 0, beforeResponse: false } as const;
    return [{ kind: 'event.recorded', event, delivery: { event: event.id, ...plan, attempts: [] } }];
  }
  const call = { on: 'webhook', paymentIntent: event.paymentIntent } as const;
  const entries: JournalEntry[] = [];
  const take = <Kind extends Parameters<typeof selectFault>[2][number]>(kinds: readonly Kind[]) => {
    const { fault, counted } = selectFault(faults.values(), call, kinds);
    for (const { id, hit } of counted) countFault(faults, id, hit);
    entries.push(...counted);
    return fault;
  };
  const sending = take(sendingKinds);
  const duplicate = take(['duplicate']);
  const early = event.request.id === null ? null : take(['before_response']);
  const delivery: DeliveryRecord = {
    event: event.id,
    state: sending?.do === 'hold' ? 'held' : sending?.do === 'reorder' ? 'waiting' : 'due',
    dueMs: nowMs + (sending === null || sending.do === 'hold' ? 0 : sending.ms),
    copiesLeft: duplicate !== null && !duplicate.newId ? 2 : 1,
    beforeResponse: early !== null,
    attempts: [],
  };
  entries.push({ kind: 'event.recorded', event, delivery });
  if (duplicate?.newId === true) {
    const twin = { ...event, id: mint('evt') };
    entries.push({ kind: 'event.recorded', event: twin, delivery: { ...delivery, event: twin.id } });
  }
  return entries;
}
