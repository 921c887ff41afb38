import type { Cancellation } from '../ports.ts';
import type { QueueScope, QueueStore } from '../queue/queue-store.ts';
import { decideSignOutSettled } from '../queue/session-decision.ts';
import type { Transport } from './transport.ts';
import { parsedJson } from './verdict.ts';
import type { Delivery } from './verdict.ts';

export type OwedSignOutPorts = {
  readonly store: QueueStore;
  readonly transport: Transport;
  readonly timeoutMs: number;
  readonly protocol: number;
  /** Runs one task of the browser at a time, so that no second tab ends the session of the next person. */
  readonly alone: <Answer>(task: () => Promise<Answer>) => Promise<Answer>;
};

/** `still-owed`: Holdfast was not heard to end the session. Nothing may be sent or read with it meanwhile. */
export type SignOutStanding = 'nothing-owed' | 'settled' | 'still-owed';

const everywhere: QueueScope = { operationIds: [] };

/** Only Holdfast's own answer: a network's sign-in page is no proof that a session has ended. */
const saysSignedOut = (delivery: Delivery): boolean => {
  if (delivery.kind !== 'answered' || delivery.status !== 200 || delivery.redirected) return false;
  if (!(delivery.contentType ?? '').toLowerCase().startsWith('application/json')) return false;
  const body = parsedJson(delivery.text);
  return typeof body === 'object' && body !== null && 'success' in body && body.success === true;
};

/** Asks Holdfast to end the session that this browser's cookie is for. */
export const askToSignOut = async (
  { transport, timeoutMs, protocol }: Pick<OwedSignOutPorts, 'transport' | 'timeoutMs' | 'protocol'>,
  cancellation: Cancellation,
): Promise<boolean> =>
  saysSignedOut(
    await transport.send({ path: '/api/auth/sign-out', body: '{}', protocol, timeoutMs }, cancellation),
  );

/**
 * A sign-out that the server has not heard of goes before anything else. Asking twice is harmless: a session that
 * has ended already is answered in the same way.
 */
export const settleOwedSignOut = async (
  ports: OwedSignOutPorts,
  cancellation: Cancellation,
): Promise<SignOutStanding> => {
  const { store, alone } = ports;
  if (!(await store.read(everywhere)).session.signOutOwed) return 'nothing-owed';
  return alone(async () => {
    // Another tab may have settled it while this one waited, and somebody else may be signed in by now.
    if (!(await store.read(everywhere)).session.signOutOwed) return 'settled';
    if (!(await askToSignOut(ports, cancellation))) return 'still-owed';
    await store.change(everywhere, decideSignOutSettled);
    return 'settled';
  });
};
