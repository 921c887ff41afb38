import type { EventPageAnswer, FetchedEvent, MirroredRefund, NoAnswer } from '@holdfast/providers';
import type { ProviderAccount } from '../engine-interface.ts';
import type { ApplyEventResult, StoredEvent } from '../webhook/apply-event.ts';
import { patiently, type PatiencePorts } from './patiently.ts';
import type { SweepFinding, SweptOperation } from './sweep-finding.ts';
import type { SweepWindow } from './sweep-run.ts';

export type MissedEventPorts = PatiencePorts & {
  /** `null`: the provider keeps no list of its events. */
  readonly eventPage: (
    account: ProviderAccount,
    sinceMs: number,
    after: string | null,
  ) => Promise<EventPageAnswer> | null;
  /**
   * Stores the events of a page that nobody told us, each once by its ID, as a webhook would. Those that say what is
   * known already need nothing more; the others, and what was stored and not applied yet, are answered, and are left to
   * whoever comes should this process end.
   */
  readonly storeMissed: (
    account: ProviderAccount,
    events: readonly FetchedEvent[],
  ) => Promise<{ readonly fetched: number; readonly toApply: readonly StoredEvent[] }>;
  readonly applyMissed: (account: ProviderAccount, stored: StoredEvent) => Promise<ApplyEventResult>;
  readonly known: (
    account: ProviderAccount,
    refunds: readonly MirroredRefund[],
  ) => Promise<{ readonly operations: ReadonlyMap<string, SweptOperation> }>;
};

export type MissedEvents = {
  readonly kind: 'read';
  readonly read: number;
  readonly fetched: number;
  readonly findings: readonly SweepFinding[];
  /** To be applied once the findings are kept: what is applied is no news to a process that goes on after this one. */
  readonly toApply: readonly StoredEvent[];
  readonly next: string | null;
};

/**
 * Reads one page of the provider's events and stores the missed ones. A refund that failed since, however old it is, is a
 * finding: it was called confirmed and nobody had said otherwise.
 */
export const readMissedEvents = async (
  ports: MissedEventPorts,
  account: ProviderAccount,
  window: SweepWindow,
  after: string | null,
): Promise<MissedEvents | NoAnswer> => {
  const asking = () => ports.eventPage(account, window.eventsSinceMs, after);
  const page = await patiently<EventPageAnswer>(
    ports,
    () => asking() ?? Promise.resolve({ kind: 'answer', events: [], next: null }),
  );
  if (page.kind === 'no-answer') {
    // A base without events is as good as none.
    return page.notOffered === true ? nothing : page;
  }
  const { fetched, toApply } = await ports.storeMissed(account, page.events);
  const findings: SweepFinding[] = [];
  for (const stored of toApply) {
    const failed = await failureIn(ports, account, stored);
    if (failed !== null) findings.push(failed);
  }
  return { kind: 'read', read: page.events.length, fetched, findings, toApply, next: page.next };
};

const nothing: MissedEvents = {
  kind: 'read',
  read: 0,
  fetched: 0,
  findings: [],
  toApply: [],
  next: null,
};

const failureIn = async (
  ports: MissedEventPorts,
  account: ProviderAccount,
  { event: { record } }: StoredEvent,
): Promise<SweepFinding | null> => {
  if (record?.status !== 'failed') return null;
  const { operations } = await ports.known(account, [record]);
  const [operation] = [...operations.values()].filter(({ reference }) => reference === record.reference);
  if (operation?.state !== 'confirmed') return null;
  const { reference, paymentReference, amount } = record;
  return {
    kind: 'failed-at-provider',
    operationId: operation.id,
    reference,
    paymentReference,
    amount,
    ours: null,
  };
};
