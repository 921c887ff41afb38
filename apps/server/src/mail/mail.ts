import { createTransport } from 'nodemailer';
import type { Settings } from '../settings/settings.ts';

export type Letter = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Where the same letter may leave twice: by it a mailbox knows that it is the same. */
  readonly messageId?: string;
};

/** How letters leave. `console`: the demo, which shows them to whoever started it. `nowhere`: mail is not set up. */
export type MailWay = 'smtp' | 'console' | 'nowhere';

export type Mail = {
  readonly way: MailWay;
  /**
   * Resolves once the mail server has taken the letter over (or the console has shown it).
   * @throws MailNotSent where it has not, for whatever reason
   */
  readonly send: (letter: Letter) => Promise<void>;
  readonly close: () => void;
};

/** The letter did not leave. What the mail server said stays out: it repeats addresses. */
export class MailNotSent extends Error {
  readonly because: 'not-set-up' | 'refused-or-lost';
  /** A closed list of the mail client's own, like `ECONNECTION` or `EAUTH`. */
  readonly code: string;

  constructor(because: MailNotSent['because'], code: string) {
    super(because === 'not-set-up' ? 'mail is not set up' : `the mail server did not take a letter: ${code}`);
    this.name = 'MailNotSent';
    this.because = because;
    this.code = code;
  }
}

export type MailParts = {
  readonly smtp: Settings['smtp'];
  readonly demo: boolean;
  /** Where the demo shows its letters. */
  readonly show: (text: string) => void;
  /** Says once that letters have no way out. Never names anybody. */
  readonly onNowhere: () => void;
};

const connectMs = 10_000;
const codeIn = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';

type Smtp = NonNullable<Settings['smtp']>;

const limits = { connectionTimeout: connectMs, greetingTimeout: connectMs, socketTimeout: connectMs * 3 };

/** Whether the mail server answers and lets us in: `undefined`, or the mail client's code for why not. */
export const mailTrouble = async ({ url }: Smtp): Promise<string | undefined> => {
  const transport = createTransport({ url, ...limits });
  try {
    await transport.verify();
    return undefined;
  } catch (error) {
    return codeIn(error);
  } finally {
    transport.close();
  }
};

const overSmtp = ({ url, from }: Smtp): Mail => {
  const transport = createTransport({ url, pool: true, maxConnections: 2, ...limits });
  return {
    way: 'smtp',
    send: async (letter) => {
      try {
        await transport.sendMail({ from, ...letter });
      } catch (error) {
        throw new MailNotSent('refused-or-lost', codeIn(error));
      }
    },
    close: () => {
      transport.close();
    },
  };
};

const onConsole = (show: MailParts['show']): Mail => ({
  way: 'console',
  send: (letter) => {
    show(`\n  Mail to ${letter.to}: ${letter.subject}\n\n${letter.text.replaceAll(/^/gm, '    ')}\n\n`);
    return Promise.resolve();
  },
  close: () => undefined,
});

const toNowhere = (onNowhere: MailParts['onNowhere']): Mail => {
  let isSaid = false;
  return {
    way: 'nowhere',
    send: () => {
      if (!isSaid) onNowhere();
      isSaid = true;
      return Promise.reject(new MailNotSent('not-set-up', 'not-set-up'));
    },
    close: () => undefined,
  };
};

/** Over SMTP where that is set up; the demo shows letters on its console; else they have no way out, and that is said. */
export const openMail = ({ smtp, demo, show, onNowhere }: MailParts): Mail => {
  if (smtp !== undefined) return overSmtp(smtp);
  return demo ? onConsole(show) : toNowhere(onNowhere);
};
