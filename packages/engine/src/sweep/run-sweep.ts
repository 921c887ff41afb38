import type { MirroredRefund, NoAnswer, RefundAnswer, RefundPageAnswer } from '@holdfast/providers';
import type { ProviderAccount } from '../engine-interface.ts';
import type { SeenAtProvider } from '../mirror/seen-at-provider.ts';
import { judgeBeforehand, judgeRefund } from './judge-refund.ts';
import { patiently, type PatiencePorts } from './patiently.ts';
import { readMissedEvents, type MissedEventPorts } from './read-missed-events.ts';
import type { SweepFinding, SweptOperation } from './sweep-finding.ts';
import type { SweepProgress, SweepWindow, TakenSweep } from './sweep-run.ts';

/** What is known here of the refunds of one page. */
export type KnownOfPage = {
  /** By the operation's ID, folded. */
  readonly operations: ReadonlyMap<string, SweptOperation>;
  /** References of refunds that an operation holds. */
  readonly held: ReadonlySet<string>;
};

export type SweepPorts = PatiencePorts &
  Omit<MissedEventPorts, 'known'> & {
    readonly refundPage: (
      account: ProviderAccount,
      sinceMs: number,
      after: string | null,
    ) => Promise<RefundPageAnswer>;
    readonly askAboutRefund: (account: ProviderAccount, reference: string) => Promise<RefundAnswer>;
    readonly absorb: (account: ProviderAccount, seen: SeenAtProvider) => Promise<void>;
    readonly known: (account: ProviderAccount, refunds: readonly MirroredRefund[]) => Promise<KnownOfPage>;
    /** Remembers that these refunds stood in the ledger at that time, and answers what is known of them now. */
    readonly markSeen: (
      account: ProviderAccount,
      refunds: readonly MirroredRefund[],
      atMs: number,
    ) => Promise<KnownOfPage>;
    /** Operations sent in the window whose refund no page showed, by ID after `afterId`. */
    readonly notSeen: (
      account: ProviderAccount,
      window: SweepWindow,
      afterId: string | null,
    ) => Promise<{
      readonly operations: readonly SweptOperation[];
      readonly read: number;
      readonly next: string | null;
    }>;
    /**
     * The provider does not know the refund of an operation that counts as done: a person has to look. Said once of each:
     * whoever has looked is not called again by every later sweep.
     */
    readonly recordAbsence: (
      account: ProviderAccount,
      operationId: string,
      reference: string,
    ) => Promise<void>;
    /**
     * Keeps what was found and how far it is, and holds the sweep for a while longer. What was found before is kept once.
     * `false`: another process has taken it up, and nothing was written. @returns how much was found that is new to it
     */
    readonly keep: (
      account: ProviderAccount,
      taken: TakenSweep,
      findings: readonly SweepFinding[],
      progress: SweepProgress,
    ) => Promise<{ readonly added: number } | false>;
    /** Whether this process is asked to end: what it has begun is left to the next one, where it stands. */
    readonly stopping: () => boolean;
  };

export type SweepResult =
  | (SweepWindow & SweepProgress & { readonly kind: 'swept' })
  /** The provider did not answer to the end: nothing is said about what was not read. */
  | {
      readonly kind: 'no-answer';
      readonly because: string;
      readonly ourKeyRefused: boolean;
      readonly found: number;
    }
  | { readonly kind: 'not-home' }
  /** Another process goes on with it. */
  | { readonly kind: 'taken-over' }
  /** This process ends; the next one goes on with it. */
  | { readonly kind: 'stopped' };

/** Why a sweep does not go on. */
class Halt {
  readonly result: Exclude<SweepResult, { kind: 'swept' } | { kind: 'not-home' }>;
  constructor(result: Halt['result']) {
    this.result = result;
  }
}

type Sweeping = {
  readonly ports: SweepPorts;
  readonly account: ProviderAccount;
  readonly taken: TakenSweep;
  progress: SweepProgress;
  readonly tell: (progress: SweepProgress) => void;
};

/**
 * Compares the provider's ledger with ours, page by page: what it shows becomes evidence like anything the mirror sees,
 * and whatever does not agree is kept. Memory does not grow with the window, and after each page another process could
 * go on with it.
 * @param tell called after each page
 */
export const runSweep = async (
  ports: SweepPorts,
  account: ProviderAccount,
  taken: TakenSweep,
  tell: (progress: SweepProgress) => void = () => undefined,
): Promise<SweepResult> => {
  const sweeping: Sweeping = { ports, account, taken, progress: taken.progress, tell };
  try {
    if (sweeping.progress.phase === 'refunds') await readRefunds(sweeping);
    if (sweeping.progress.phase === 'operations') await lookForUnseen(sweeping);
    await readEvents(sweeping);
  } catch (halt) {
    if (halt instanceof Halt) return halt.result;
    throw halt;
  }
  return { kind: 'swept', ...taken.window, ...sweeping.progress };
};

const answered = <Answer extends { readonly kind: string }>(
  { progress }: Sweeping,
  answer: Answer | NoAnswer,
): Exclude<Answer, NoAnswer> => {
  if (!('because' in answer)) return answer as Exclude<Answer, NoAnswer>;
  const { because, ourKeyRefused } = answer;
  throw new Halt({ kind: 'no-answer', because, ourKeyRefused, found: progress.found });
};

/** Keeps a step of the way. The findings of a page are kept together with the place after it. */
const keep = async (
  sweeping: Sweeping,
  findings: readonly SweepFinding[],
  part: Partial<SweepProgress>,
): Promise<void> => {
  const { ports, account, taken } = sweeping;
  const progress = { ...sweeping.progress, ...part };
  const kept = await ports.keep(account, taken, findings, progress);
  if (kept === false) throw new Halt({ kind: 'taken-over' });
  sweeping.progress = { ...progress, found: progress.found + kept.added };
  sweeping.tell(sweeping.progress);
  if (ports.stopping()) throw new Halt({ kind: 'stopped' });
};

const readRefunds = async (sweeping: Sweeping): Promise<void> => {
  const { ports, account, taken } = sweeping;
  let more = true;
  while (more) {
    const after = sweeping.progress.position;
    const page = answered(
      sweeping,
      await patiently(ports, () => ports.refundPage(account, taken.window.sinceMs, after)),
    );
    const findings = await takeIn(sweeping, page.refunds, 'listing');
    more = page.next !== null;
    await keep(sweeping, findings, {
      ...(more ? { position: page.next } : { phase: 'operations', position: null }),
      refundsRead: sweeping.progress.refundsRead + page.refunds.length,
    });
  }
};

/** Judged by what was known before and after the page became evidence: what it mends is told all the same. */
const takeIn = async (
  sweeping: Sweeping,
  refunds: readonly MirroredRefund[],
  source: 'listing' | 'look-up',
): Promise<readonly SweepFinding[]> => {
  if (refunds.length === 0) return [];
  const { ports, account, taken } = sweeping;
  const { organisationId } = account;
  const before = await ports.known(account, refunds);
  const wasOf = ({ operationId }: MirroredRefund) =>
    before.operations.get(operationId?.toLowerCase() ?? '') ?? null;
  const beforehand = refunds.flatMap((refund) =>
    judgeBeforehand({
      refund,
      organisationId,
      before: wasOf(refund),
      held: before.held.has(refund.reference),
    }),
  );
  if (beforehand.length > 0) await keep(sweeping, beforehand, {});
  await ports.absorb(account, { refunds, disputes: [], askedPayment: null, source });
  const after = await ports.markSeen(account, refunds, taken.window.sweptAtMs);
  return refunds.flatMap((refund) =>
    judgeRefund({
      refund,
      organisationId,
      before: wasOf(refund),
      after: after.operations.get(refund.operationId?.toLowerCase() ?? '') ?? null,
      held: after.held.has(refund.reference),
    }),
  );
};

/** A listing proves no absence, so each operation that it did not show is asked about by its own reference. */
const lookForUnseen = async (sweeping: Sweeping): Promise<void> => {
  const { ports, account, taken } = sweeping;
  let more = true;
  while (more) {
    const part = await ports.notSeen(account, taken.window, sweeping.progress.position);
    const findings: SweepFinding[] = [];
    for (const operation of part.operations) {
      findings.push(...(await askAbout(sweeping, operation)));
      // Each asks the provider: a part of them may take longer than a sweep is held without a word.
      await keep(sweeping, findings.splice(0), {});
    }
    more = part.next !== null;
    await keep(sweeping, findings, {
      ...(more ? { position: part.next } : { phase: 'events', position: null }),
      operationsRead: sweeping.progress.operationsRead + part.read,
    });
  }
};

const askAbout = async (sweeping: Sweeping, operation: SweptOperation): Promise<readonly SweepFinding[]> => {
  const { ports, account } = sweeping;
  const { id, reference, amount, paymentReference } = operation;
  if (reference === null || amount === null) return [];
  const answer = answered(sweeping, await patiently(ports, () => ports.askAboutRefund(account, reference)));
  if (answer.kind === 'answer') return takeIn(sweeping, [answer.record], 'look-up');
  await ports.recordAbsence(account, id, reference);
  return [{ kind: 'not-at-provider', operationId: id, reference, paymentReference, amount, ours: null }];
};

const readEvents = async (sweeping: Sweeping): Promise<void> => {
  const { ports, account, taken } = sweeping;
  let more = true;
  while (more) {
    const { position, eventsRead, eventsFetched } = sweeping.progress;
    const page = answered(sweeping, await readMissedEvents(ports, account, taken.window, position));
    if (page.findings.length > 0) await keep(sweeping, page.findings, {});
    for (const stored of page.toApply) {
      await ports.applyMissed(account, stored);
      await keep(sweeping, [], {});
    }
    more = page.next !== null;
    await keep(sweeping, [], {
      position: page.next,
      eventsRead: eventsRead + page.read,
      eventsFetched: eventsFetched + page.fetched,
    });
  }
};
