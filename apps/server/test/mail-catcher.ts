import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export type CaughtLetter = { readonly from: string; readonly to: readonly string[]; readonly text: string };

/** A mail server for tests: takes every letter, keeps it, delivers it to nobody. */
export type MailCatcher = {
  readonly url: string;
  readonly letters: readonly CaughtLetter[];
  /** The next letter to this address that was not handed out yet; waits for it to come. */
  readonly next: (to: string) => Promise<CaughtLetter>;
  /** From now on letters are refused, as a full or misconfigured mail server would. */
  readonly refuseAll: (refuses: boolean) => void;
  readonly stop: () => Promise<void>;
};

/** Letters travel as quoted-printable; ours are plain text. */
const readable = (raw: string): string =>
  raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (escaped) =>
      Buffer.from(escaped.replaceAll('=', ''), 'hex').toString('utf8'),
    );

export const startMailCatcher = async (): Promise<MailCatcher> => {
  const letters: CaughtLetter[] = [];
  const handedOut = new Set<CaughtLetter>();
  let waiting: (() => void)[] = [];
  let refuses = false;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onRcptTo: (_address, _session, done) => {
      done(refuses ? new Error('no letters today') : null);
    },
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        letters.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: readable(Buffer.concat(parts).toString('utf8')),
        });
        done();
        const woken = waiting;
        waiting = [];
        for (const wake of woken) wake();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const next = async (to: string): Promise<CaughtLetter> => {
    const found = letters.find((letter) => letter.to.includes(to) && !handedOut.has(letter));
    if (found !== undefined) {
      handedOut.add(found);
      return found;
    }
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
    return next(to);
  };
  return {
    url: `smtp://127.0.0.1:${String(port)}`,
    letters,
    next,
    refuseAll: (from) => {
      refuses = from;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
      }),
  };
};
