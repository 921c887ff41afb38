import type { OperationState } from '@holdfast/operation';
import { claimApproved, type ClaimResult } from '../claim/claim-approved.ts';
import type { ProviderAccount, ProviderDirectory, WorkerSettings } from '../engine-interface.ts';
import { sendClaimed, type SendClaimedPorts } from '../execute/send-claimed.ts';
import { checkUnknown, checkWithoutAsking, type CheckUnknownPorts } from '../reconcile/check-unknown.ts';
import { lookAtKnown, type LookAtKnownPorts } from '../reconcile/look-at-known.ts';
import {
  applyEvent,
  pauseBeforeApplyingAgainMs,
  type ApplyEventPorts,
  type ApplyEventResult,
  type StoredEvent,
} from '../webhook/apply-event.ts';
import type { DueItem, DueOperation } from './due-work.ts';
import type { SendingWindow } from './sending-window.ts';

export type HandleDuePorts = CheckUnknownPorts &
  LookAtKnownPorts &
  SendClaimedPorts &
  ApplyEventPorts & {
    readonly providers: ProviderDirectory;
    /** This process's room for submissions to one account. */
    readonly windowOf: (account: ProviderAccount) => SendingWindow;
    /** Settles an operation from all its evidence, and answers with the state it is in then. */
    readonly settleEvidence: (
      account: ProviderAccount | undefined,
      due: DueOperation,
    ) => Promise<OperationState>;
    /** Ends a proposal or an approval whose time is over; otherwise sets its wake-up anew. */
    readonly expire: (organisationId: string, operationId: string) => Promise<boolean>;
    /** A claim past its lease: its outcome is unknown from now on. */
    readonly loseSight: (
      organisationId: string,
      operationId: string,
      settings: WorkerSettings,
    ) => Promise<void>;
    /** Wakes it again after a while; changes nothing else. */
    readonly pushWake: (organisationId: string, operationId: string, afterMs: number) => Promise<void>;
    /** Nothing about it is ever due again by itself. */
    readonly stopWaking: (organisationId: string, operationId: string) => Promise<void>;
    readonly finishEvent: (
      stored: StoredEvent,
      result: Extract<ApplyEventResult, { kind: 'applied' }>,
    ) => Promise<void>;
    readonly postponeEvent: (stored: StoredEvent, because: string, afterMs: number) => Promise<void>;
  };

/** What was done, for the report of a pass. */
export type Tally = { claimed: number; submitted: number; checked: number; expired: number };

const noAccountPauseMs = 10_000;
/** A wait for the provider that is shorter than this is not worth telling people. */
const worthTellingMs = 3_000;
const brokenPauseMs = 5_000;

export const handleDue = async (
  ports: HandleDuePorts,
  item: DueItem,
  settings: WorkerSettings,
  tally: Tally,
): Promise<void> => {
  if (item.kind === 'operation') return handleOperation(ports, item, settings, tally);
  const { stored } = item;
  const account = ports.providers.accountOf(stored.organisationId);
  const result: ApplyEventResult =
    account === undefined
      ? { kind: 'again', because: 'no-account' }
      : await applyEvent(ports, account, stored);
  if (result.kind === 'applied') return ports.finishEvent(stored, result);
  return ports.postponeEvent(stored, result.because, pauseBeforeApplyingAgainMs(stored.failures));
};

/** An item whose handling broke a promise is tried again later; nothing else stops for it. */
export const handleBroken = async (ports: HandleDuePorts, item: DueItem, error: unknown): Promise<void> => {
  if (item.kind === 'operation') {
    const { organisationId, operationId, state } = item;
    ports.log('error', 'handling an operation broke', { organisationId, operationId, state, error });
    await ports.pushWake(organisationId, operationId, brokenPauseMs);
  } else {
    const { organisationId, event, failures } = item.stored;
    ports.log('error', 'applying an event broke', { organisationId, eventId: event.eventId, error });
    await ports.postponeEvent(item.stored, 'broke', pauseBeforeApplyingAgainMs(failures));
  }
};

const handleOperation = async (
  ports: HandleDuePorts,
  due: DueOperation,
  settings: WorkerSettings,
  tally: Tally,
): Promise<void> => {
  const { organisationId, operationId } = due;
  const account = ports.providers.accountOf(organisationId);
  const state = due.hasEvidence ? await ports.settleEvidence(account, due) : due.state;
  // Settling moved it, and gave it a wake-up that fits where it is now.
  if (state !== due.state) return;
  switch (state) {
    case 'proposed':
      if (await ports.expire(organisationId, operationId)) tally.expired += 1;
      return;
    case 'approved': {
      const window = account && ports.windowOf(account);
      await window?.enter();
      try {
        // A process that ends claims nothing more: it would be killed with the answer still to come.
        if (ports.stopping()) return await ports.pushWake(organisationId, operationId, 0);
        const result = await claimWithinBudget(ports, due, account, settings);
        return await carryOut(ports, result, account, due, settings, tally);
      } finally {
        window?.leave();
      }
    }
    case 'submitting':
      return ports.loseSight(organisationId, operationId, settings);
    case 'outcome_unknown': {
      if (account === undefined) return checkWithoutAsking(ports, organisationId, operationId, settings);
      const { submission, question } = ports.limiterOf(account);
      const closed = question.closed();
      if (closed !== null)
        return checkWithoutAsking(ports, organisationId, operationId, settings, closed.afterMs);
      tally.checked += 1;
      const result = await checkUnknown(ports, organisationId, operationId, account, submission, settings);
      return carryOut(ports, result, account, due, settings, tally);
    }
    case 'pending':
    case 'confirmed':
    case 'failed': {
      if (account === undefined) return ports.pushWake(organisationId, operationId, noAccountPauseMs);
      const closed = ports.limiterOf(account).question.closed();
      if (closed !== null) return ports.pushWake(organisationId, operationId, closed.afterMs);
      tally.checked += 1;
      return lookAtKnown(ports, organisationId, operationId, account, settings);
    }
    case 'reversed':
    case 'denied':
    case 'cancelled':
    case 'expired':
      return ports.stopWaking(organisationId, operationId);
  }
};

/**
 * Claims an approved operation once the account's budget has room for its request. Until then it stays as it is and
 * comes back in its turn; only where the provider wants nothing from us for a while is it said that it waits for it.
 */
const claimWithinBudget = async (
  ports: HandleDuePorts,
  { organisationId, operationId }: DueOperation,
  account: ProviderAccount | undefined,
  settings: WorkerSettings,
): Promise<ClaimResult> => {
  if (account === undefined) return claimApproved(ports, organisationId, operationId, account, 0, settings);
  const { submission } = ports.limiterOf(account);
  const admission = await submission.admit();
  if (admission.kind === 'later') {
    const { afterMs, because } = admission;
    if (because === 'asked-to-wait' && afterMs >= worthTellingMs) {
      return claimApproved(ports, organisationId, operationId, account, afterMs, settings);
    }
    await ports.pushWake(organisationId, operationId, afterMs);
    return { kind: 'waits' };
  }
  let claimed = false;
  try {
    const result = await claimApproved(ports, organisationId, operationId, account, 0, settings);
    claimed = result.kind === 'claimed';
    return result;
  } finally {
    if (!claimed) submission.giveBack();
  }
};

const carryOut = async (
  ports: HandleDuePorts,
  result: ClaimResult,
  account: ProviderAccount | undefined,
  due: DueOperation,
  settings: WorkerSettings,
  tally: Tally,
): Promise<void> => {
  switch (result.kind) {
    case 'claimed':
      if (account === undefined) throw new Error('claimed without an account');
      tally.claimed += 1;
      if (await sendClaimed(ports, account, result.claimed, settings.providerTimeoutMs)) tally.submitted += 1;
      return;
    case 'expired':
      tally.expired += 1;
      return;
    case 'not-ours':
      ports.log('info', 'not claimed', { operationId: due.operationId, because: result.because });
      return;
    case 'waits':
    case 'sent-back':
      return;
  }
};
