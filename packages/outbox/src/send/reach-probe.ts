import type { KeptReason } from '../outbox-interface.ts';
import type { Cancellation } from '../ports.ts';
import { historyOf, isUnfinishedEntry } from '../queue/entry-history.ts';
import { lookUp, operationsPerLookUp } from './look-up.ts';
import type { SenderPorts } from './sender-ports.ts';
import { reasonForNothing } from './verdict.ts';

/** `sign-out-owed`: a round ends that session before all else, and asks for itself whether anybody is there. */
export type Reach = 'heard' | 'silent' | 'nothing-waits' | 'sign-out-owed';

export type ProbePorts = Pick<
  SenderPorts,
  'store' | 'wire' | 'transport' | 'clock' | 'requestTimeoutMs' | 'heard'
>;

/** What may be met without a network that works at all. */
const notHeard: readonly KeptReason[] = ['unreachable', 'timed-out', 'interrupted'];

/**
 * Whether anybody answers, asked without sending anything of the queue: what waits is looked up. Rejects with our own
 * storage's error.
 */
export const probeReach = async (ports: ProbePorts, cancellation: Cancellation): Promise<Reach> => {
  const { store, wire, transport, clock, requestTimeoutMs } = ports;
  const { records, session } = await store.readOpen();
  if (session.signOutOwed) return 'sign-out-owed';
  const waiting = records.filter(
    (record) => record.entry.subject === session.subject && isUnfinishedEntry(historyOf(record)),
  );
  if (waiting.length === 0) return 'nothing-waits';
  const ids = [...new Set(waiting.map(({ entry }) => entry.operationId))].slice(0, operationsPerLookUp);
  const world = { wire, transport, timeoutMs: requestTimeoutMs, nowMs: () => clock.nowMs(), cancellation };
  if (wire.lookUp === null) {
    // A request that carries nothing: whatever is answered, somebody is there.
    const request = { path: wire.path, body: '{"commands":[]}', protocol: 1, timeoutMs: requestTimeoutMs };
    const met = reasonForNothing(wire, await transport.send(request, cancellation), clock.nowMs());
    return notHeard.includes(met.reason) ? 'silent' : 'heard';
  }
  const answer = await lookUp(world, ids);
  if (answer.kind === 'told') ports.heard(null);
  return answer.kind === 'kept' && notHeard.includes(answer.reason) ? 'silent' : 'heard';
};
