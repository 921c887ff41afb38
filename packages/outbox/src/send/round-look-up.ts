import type { Cancellation } from '../ports.ts';
import type { QueueStore } from '../queue/queue-store.ts';
import { isRetellOwed } from '../queue/session-decision.ts';
import type { SessionRow } from '../queue/stored-rows.ts';
import type { Words } from '../queue/words.ts';
import {
  decideKnownAnyway,
  decideRetell,
  decideRetold,
  heldOperations,
  operationsToLookUp,
} from './look-up-decision.ts';
import { lookUp } from './look-up.ts';
import { afterFailure } from './round-end.ts';
import { cacheEpoch } from './sender-ports.ts';
import type { SenderPorts } from './sender-ports.ts';
import type { Kept } from './verdict.ts';

const changeSession = (store: Pick<QueueStore, 'change'>, changed: Partial<SessionRow>): Promise<null> =>
  store.change({ operationIds: [] }, ({ session }) => ({
    writes: { session: { ...session, ...changed } },
    answer: null,
  }));

const afterFailedLookUp = async (store: Pick<QueueStore, 'change'>, answer: Kept): Promise<Kept | null> => {
  if (answer.reason === 'sign-in') await changeSession(store, { signInNeeded: true });
  // A look-up that does not work must not keep commands here for ever: sending them again is safe as well.
  return afterFailure[answer.reason] === 'stop' ? answer : null;
};

export type LookedUpOpen = { readonly isDone: boolean; readonly trouble: Kept | null };

/**
 * Before anything is sent again: what may have arrived is asked about, and what a restored server has lost is opened
 * again. `trouble` is why nothing may be sent in this round.
 */
export const lookUpOpen = async <W extends Words>(
  ports: SenderPorts<W>,
  cancellation: Cancellation,
): Promise<LookedUpOpen> => {
  const { store, wire, transport, told, clock, requestTimeoutMs } = ports;
  if (wire.lookUp === null) return { isDone: true, trouble: null };
  const open = await store.readOpen();
  const { subject } = open.session;
  const owesRetell = isRetellOwed(open.session);
  const all = owesRetell && subject !== null ? await store.readSubject(subject) : null;
  const acknowledged = all ? all.records.map(({ entry }) => entry.operationId) : [];
  const ids = [...new Set([...operationsToLookUp(open), ...acknowledged])];
  if (ids.length > 0) {
    const epoch = await cacheEpoch(ports);
    const nowMs = (): number => clock.nowMs();
    const world = { wire, transport, timeoutMs: requestTimeoutMs, subject, nowMs, cancellation };
    const answer = await lookUp(world, ids);
    ports.heard(answer.kind === 'kept' ? answer.reason : null);
    if (answer.kind === 'kept') return { isDone: false, trouble: await afterFailedLookUp(store, answer) };
    const found = [...answer.operations.values()].filter((operation) => operation !== null);
    await told.applyOperations(found, epoch).catch(() => undefined);
    const held = heldOperations(open);
    if (held.length > 0) {
      await store.change({ operationIds: held }, decideKnownAnyway(answer.operations, clock.nowMs()));
    }
    if (all) await store.change({ operationIds: ids }, decideRetell(answer.operations, clock.nowMs()));
  }
  if (owesRetell) await store.change({ operationIds: [] }, decideRetold(open.session));
  return { isDone: true, trouble: null };
};
