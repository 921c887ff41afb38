import type { Decision, QueueSnapshot } from './queue-store.ts';
import type { SessionRow } from './stored-rows.ts';

const changed = (session: SessionRow): Decision<SessionRow> => ({ writes: { session }, answer: session });

/** A new epoch makes what was parked for want of a sign-in due again. */
export const decideSignedIn =
  (subject: string) =>
  ({ session }: QueueSnapshot): Decision<SessionRow> =>
    changed({ ...session, subject, epoch: session.epoch + 1, signInNeeded: false });

/** Nobody is signed in: the queue stays, sealed to its subjects. */
export const decideSignedOut = ({ session }: QueueSnapshot): Decision<SessionRow> =>
  session.subject === null
    ? { writes: {}, answer: session }
    : changed({ ...session, subject: null, epoch: session.epoch + 1, signInNeeded: false });

/** Holdfast said 401 to something other than a command. */
export const decideSignInNeeded = ({ session }: QueueSnapshot): Decision<SessionRow> =>
  session.signInNeeded || session.subject === null
    ? { writes: {}, answer: session }
    : changed({ ...session, signInNeeded: true });

/** Holdfast answered us as someone it knows: the session was renewed without anyone telling us. */
export const decideKnownAgain = ({ session }: QueueSnapshot): Decision<SessionRow> =>
  session.signInNeeded
    ? changed({ ...session, epoch: session.epoch + 1, signInNeeded: false })
    : { writes: {}, answer: session };

/** Before the caches of a history that is no more are dropped: what was acknowledged has to be looked up again. */
export const decideRetellNeeded = ({ session }: QueueSnapshot): Decision<SessionRow> =>
  changed({ ...session, retell: true });
