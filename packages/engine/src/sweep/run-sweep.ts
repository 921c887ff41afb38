import type { MirroredRefund, NoAnswer, RefundPageAnswer } from '@holdfast/providers';
import type { ProviderAccount } from '../engine-interface.ts';
import type { SeenAtProvider } from '../mirror/seen-at-provider.ts';
import { judgeRefund } from './judge-refund.ts';
import type { SweepFinding, SweptOperation } from './sweep-finding.ts';

/** What is known here of the refunds of one page. */
export type KnownOfPage = {
  /** By the operation's ID, folded. */
  readonly operations: ReadonlyMap<string, SweptOperation>;
  /** References of refunds that an operation holds. */
  readonly held: ReadonlySet<string>;
};

export type SweepPorts = {
  /** The database's time, and whether this account is the organisation's own. */
  readonly begin: (account: ProviderAccount) => Promise<{ readonly nowMs: number; readonly isHome: boolean }>;
  readonly deadline: () => number;
  readonly pause: (ms: number) => Promise<void>;
  readonly absorb: (account: ProviderAccount, seen: SeenAtProvider) => Promise<void>;
  readonly known: (account: ProviderAccount, refunds: readonly MirroredRefund[]) => Promise<KnownOfPage>;
  /** Remembers that these refunds stood in the ledger at that time. */
  readonly markSeen: (account: ProviderAccount, references: readonly string[], atMs: number) => Promise<void>;
  /** Operations sent in the window whose refund no page showed, by ID after `afterId`. */
  readonly notSeen: (
    account: ProviderAccount,
    window: { readonly sinceMs: number; readonly sweptAtMs: number },
    afterId: string | null,
  ) => Promise<{
    readonly operations: readonly SweptOperation[];
    readonly read: number;
    readonly next: string | null;
  }>;
  /** The provider does not know the refund of an operation that counts as done: a person has to look. */
  readonly recordAbsence: (account: ProviderAccount, operationId: string) => Promise<void>;
  readonly finish: (
    account: ProviderAccount,
    window: { readonly sinceMs: number; readonly sweptAtMs: number },
  ) => Promise<void>;
};

export type SweepResult =
  | {
      readonly kind: 'swept';
      readonly sinceMs: number;
      readonly sweptAtMs: number;
      readonly refundsRead: number;
      readonly operationsRead: number;
    }
  /** The provider did not answer to the end: nothing is said about what was not read. */
  | { readonly kind: 'no-answer'; readonly because: string; readonly ourKeyRefused: boolean }
  | { readonly kind: 'not-home' };

const tries = 3;
const pauseMs = 1_000;

/** Asks again a few times: a long sweep makes many requests, and one that is lost says nothing. */
const patiently = async <Answer extends { readonly kind: string }>(
  ports: SweepPorts,
  ask: () => Promise<Answer | NoAnswer>,
): Promise<Answer | NoAnswer> => {
  for (let tried = 1; ; tried += 1) {
    const answer = await ask();
    if (answer.kind !== 'no-answer' || tried === tries) return answer;
    await ports.pause(pauseMs * tried);
  }
};

/**
 * Compares the provider's ledger with ours since a time, page by page: what it shows becomes evidence like anything
 * the mirror sees, and whatever does not agree is told. Memory does not grow with the window.
 * @param tell called for each finding, as it is found
 */
export const runSweep = async (
  ports: SweepPorts,
  account: ProviderAccount,
  sinceAgoMs: number,
  tell: (finding: SweepFinding) => void,
): Promise<SweepResult> => {
  const { nowMs, isHome } = await ports.begin(account);
  if (!isHome) return { kind: 'not-home' };
  const window = { sinceMs: nowMs - sinceAgoMs, sweptAtMs: nowMs };
  let refundsRead = 0;
  let after: string | null = null;
  do {
    const cursor: string | null = after;
    const page: RefundPageAnswer = await patiently(ports, () =>
      account.adapter.refundPage(window.sinceMs, cursor, ports.deadline()),
    );
    if (page.kind === 'no-answer') return lost(page);
    refundsRead += page.refunds.length;
    await takeIn(ports, account, page.refunds, window.sweptAtMs, tell);
    after = page.next;
  } while (after !== null);

  const looked = await lookForUnseen(ports, account, window, tell);
  if (looked.kind === 'no-answer') return lost(looked);
  await ports.finish(account, window);
  return { kind: 'swept', ...window, refundsRead, operationsRead: looked.operationsRead };
};

const lost = ({ because, ourKeyRefused }: NoAnswer): SweepResult => ({
  kind: 'no-answer',
  because,
  ourKeyRefused,
});

/** Judged by what was known before and after the page became evidence: what it mends is told all the same. */
const takeIn = async (
  ports: SweepPorts,
  account: ProviderAccount,
  refunds: readonly MirroredRefund[],
  atMs: number,
  tell: (finding: SweepFinding) => void,
  source: 'listing' | 'look-up' = 'listing',
): Promise<void> => {
  if (refunds.length === 0) return;
  const before = await ports.known(account, refunds);
  await ports.absorb(account, { refunds, disputes: [], askedPayment: null, source });
  await ports.markSeen(
    account,
    refunds.map(({ reference }) => reference),
    atMs,
  );
  const after = await ports.known(account, refunds);
  for (const refund of refunds) {
    const id = refund.operationId?.toLowerCase() ?? '';
    const findings = judgeRefund({
      refund,
      organisationId: account.organisationId,
      before: before.operations.get(id) ?? null,
      after: after.operations.get(id) ?? null,
      held: after.held.has(refund.reference),
    });
    for (const finding of findings) tell(finding);
  }
};

/** A listing proves no absence, so each operation that it did not show is asked about by its own reference. */
const lookForUnseen = async (
  ports: SweepPorts,
  account: ProviderAccount,
  window: { readonly sinceMs: number; readonly sweptAtMs: number },
  tell: (finding: SweepFinding) => void,
): Promise<{ readonly kind: 'looked'; readonly operationsRead: number } | NoAnswer> => {
  let operationsRead = 0;
  let afterId: string | null = null;
  do {
    const part: Awaited<ReturnType<SweepPorts['notSeen']>> = await ports.notSeen(account, window, afterId);
    operationsRead += part.read;
    for (const operation of part.operations) {
      const failure = await askAbout(ports, account, operation, window.sweptAtMs, tell);
      if (failure !== null) return failure;
    }
    afterId = part.next;
  } while (afterId !== null);
  return { kind: 'looked', operationsRead };
};

const askAbout = async (
  ports: SweepPorts,
  account: ProviderAccount,
  operation: SweptOperation,
  atMs: number,
  tell: (finding: SweepFinding) => void,
): Promise<NoAnswer | null> => {
  const { id, reference, amount, paymentReference } = operation;
  if (reference === null || amount === null) return null;
  const answer = await patiently(ports, () => account.adapter.askAboutRefund(reference, ports.deadline()));
  switch (answer.kind) {
    case 'no-answer':
      return answer;
    case 'answer':
      await takeIn(ports, account, [answer.record], atMs, tell, 'look-up');
      return null;
    case 'not-found':
      await ports.recordAbsence(account, id);
      tell({ kind: 'not-at-provider', operationId: id, reference, paymentReference, amount, ours: null });
      return null;
  }
};
