import { MailNotSent, type Letter, type Mail } from './mail.ts';

/** Letters that nobody waits for: what is answered, and when, does not depend on whether there was one to send. */
export type LettersInTurn = {
  /** Does the work and sends what it makes, after everything asked for before. */
  readonly later: (work: () => Promise<readonly Letter[]>) => void;
  /** Resolves once everything asked for so far is done. */
  readonly done: () => Promise<void>;
};

export type LettersParts = {
  readonly mail: Mail;
  /** A letter was not sent, or could not be made. Never names anybody. */
  readonly onFailure: (error: unknown) => void;
};

/** Strangers may ask for letters; past so many waiting ones theirs are not even begun. */
const mostWaiting = 1_000;

export const lettersInTurn = ({ mail, onFailure }: LettersParts): LettersInTurn => {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  const send = async (letter: Letter): Promise<void> => {
    try {
      await mail.send(letter);
    } catch (error) {
      // That mail is not set up is said once, by the mail itself.
      if (!(error instanceof MailNotSent) || error.because !== 'not-set-up') onFailure(error);
    }
  };
  const carryOut = async (work: () => Promise<readonly Letter[]>): Promise<void> => {
    try {
      for (const letter of await work()) await send(letter);
    } catch (error) {
      onFailure(error);
    }
    waiting -= 1;
  };
  return {
    later: (work) => {
      if (waiting >= mostWaiting) {
        onFailure(new Error('too many letters wait'));
        return;
      }
      waiting += 1;
      last = last.then(() => carryOut(work));
    },
    done: () => last,
  };
};
