import type { KeptReason } from '../outbox-interface.ts';
import type { Cancellation, Chance, Clock, MintId } from '../ports.ts';
import type { QueueStore } from '../queue/queue-store.ts';
import type { Words } from '../queue/words.ts';
import type { PauseLimits } from './backoff.ts';
import type { LeaseRequest, LockOutcome } from './lease.ts';
import type { SignOutStanding } from './owed-sign-out.ts';
import type { SenderLock, ServerTold, Transport } from './transport.ts';
import type { WireLanguage } from './wire-language.ts';

export type SenderPorts<W extends Words = Words> = {
  readonly store: QueueStore<W>;
  readonly wire: WireLanguage<W>;
  readonly transport: Transport;
  readonly told: ServerTold<W>;
  readonly lock: SenderLock;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly mintId: MintId;
  /** Names this tab or worker in the lease. */
  readonly holder: string;
  /** Kept with each attempt; `null` when the app did not tell it. */
  readonly appVersion: string | null;
  readonly requestTimeoutMs: number;
  readonly pauses: PauseLimits;
  /** Ends the session of who signed out without a connection: before anything is sent or looked up. */
  readonly settleSignOut: (cancellation: Cancellation) => Promise<SignOutStanding>;
  /** Called with each answer, so that a screen can say whether the server was reached. */
  readonly heard: (trouble: KeptReason | null) => void;
};

/** How much longer than one request a lease lasts, as a part of that: room to store what came of it. */
const leaseMargin = 1 / 2;

export const leaseRequestOf = (
  ports: Pick<SenderPorts, 'holder' | 'clock' | 'requestTimeoutMs'>,
  lock: LockOutcome,
): LeaseRequest => ({
  holder: ports.holder,
  lock,
  nowMs: ports.clock.nowMs(),
  lengthMs: ports.requestTimeoutMs * (1 + leaseMargin),
});

/** When the cache cannot say: no cache ever has it, so nothing is applied. */
export const noEpoch = -1;

/** The cache's epoch at the time a question is asked. Its trouble keeps nothing from being sent. */
export const cacheEpoch = ({ told }: { readonly told: Pick<ServerTold, 'epoch'> }): Promise<number> =>
  told.epoch().catch(() => noEpoch);
