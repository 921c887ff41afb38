import type { Cancellation } from '../ports.ts';
import type { QueueStore } from '../queue/queue-store.ts';
import { decideSignedOut } from '../queue/session-decision.ts';
import { askToSignOut, settleOwedSignOut } from '../send/owed-sign-out.ts';
import type { OwedSignOutPorts, SignOutStanding } from '../send/owed-sign-out.ts';
import type { SignOutNotes } from './sign-out-note.ts';

const everywhere = { operationIds: [] };

/** A sign-out that only the note knows of is taken into the queue's storage. */
const takeIn = async (store: QueueStore, notes: SignOutNotes): Promise<void> => {
  if (notes.read() !== 'only-here') return;
  // Read again within the step: beside us it may have been taken in and settled, and somebody else be here by now.
  await store.change(everywhere, (snapshot) =>
    notes.read() === 'only-here' ? decideSignedOut(snapshot) : { writes: {}, answer: snapshot.session },
  );
  if (notes.read() === 'only-here') notes.write('in-the-queue');
};

/** Settles what is owed by the queue's word, the note's included. Rejects where storage cannot say. */
export const settleSignOuts = async (
  ports: OwedSignOutPorts & { readonly notes: SignOutNotes },
  cancellation: Cancellation,
): Promise<SignOutStanding> => {
  const { store, notes } = ports;
  await takeIn(store, notes);
  const standing = await settleOwedSignOut(ports, cancellation);
  if (standing !== 'still-owed') notes.write('none');
  return standing;
};

/**
 * Where storage cannot say whether a sign-out is owed, the note does; where neither can, the session is ended to be on
 * the safe side: whoever is here signs in again.
 * @returns whether the browser's cookie may be used, and whether a session was ended for that
 */
export const settleByNote = async (
  ports: Pick<OwedSignOutPorts, 'transport' | 'timeoutMs' | 'protocol'> & { readonly notes: SignOutNotes },
  cancellation: Cancellation,
): Promise<{ readonly settled: boolean; readonly ended: boolean }> => {
  if (ports.notes.read() === 'none') return { settled: true, ended: false };
  const ended = await askToSignOut(ports, cancellation);
  if (ended) ports.notes.write('none');
  return { settled: ended, ended };
};
