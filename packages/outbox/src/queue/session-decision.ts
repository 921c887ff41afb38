import type { Decision, QueueSnapshot } from './queue-store.ts';
import type { SessionRow } from './stored-rows.ts';

const changed = (session: SessionRow): Decision<SessionRow> => ({ writes: { session }, answer: session });

/**
 * A new epoch makes what was parked for want of a sign-in due again. The browser's cookie is this person's now, so a
 * sign-out that was owed for the one before must not be sent with it.
 */
export const decideSignedIn =
  (subject: string) =>
  ({ session }: QueueSnapshot): Decision<SessionRow> =>
    changed({ ...session, subject, epoch: session.epoch + 1, signInNeeded: false, signOutOwed: false });

/** An app that starts believes that this person is here. Whoever signed out is not, also when it did not hear of it. */
export const decideStartedAs =
  (subject: string) =>
  (snapshot: QueueSnapshot): Decision<SessionRow> =>
    snapshot.session.signOutOwed
      ? { writes: {}, answer: snapshot.session }
      : decideSignedIn(subject)(snapshot);

/** A person signed out: the queue stays, sealed to its subjects, and the server has to hear of it before anything else. */
export const decideSignedOut = ({ session }: QueueSnapshot): Decision<SessionRow> =>
  session.subject === null && session.signOutOwed
    ? { writes: {}, answer: session }
    : changed({
        ...session,
        subject: null,
        epoch: session.epoch + 1,
        signInNeeded: false,
        signOutOwed: true,
      });

/** Holdfast said that the session which was signed out has ended. */
export const decideSignOutSettled = ({ session }: QueueSnapshot): Decision<SessionRow> =>
  session.signOutOwed ? changed({ ...session, signOutOwed: false }) : { writes: {}, answer: session };

/** Nobody is here, as far as the app knows: nothing is sent, and no session is ended for it. */
export const decideNobodyHere = ({ session }: QueueSnapshot): Decision<SessionRow> =>
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
  changed({
    ...session,
    retell: true,
    retellCount: (session.retellCount ?? 0) + 1,
    retoldSubjects: [],
  });

/** Whether what this person was acknowledged has still to be looked up after a restore. */
export const isRetellOwed = ({ retell, retoldSubjects = [], subject }: SessionRow): boolean =>
  retell && subject !== null && !retoldSubjects.includes(subject);
