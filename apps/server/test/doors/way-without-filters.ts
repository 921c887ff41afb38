import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A way to a database on which every question loses its own `org_id = …`, so that row-level security is left alone. */
export type WayWithoutFilters = {
  readonly url: string;
  /** Each question that lost a filter, as it was sent on. */
  readonly changed: ReadonlySet<string>;
  /** Questions that still name the organisation in a way this does not know how to take out. */
  readonly kept: ReadonlySet<string>;
  readonly close: () => Promise<void>;
};

const filter = /(?<![\w.])(?:(?:\w+|"\w+")\.)?"?org_id"? = \$(\d+)/g;

/** The parameter stays in use, or the database could not tell its type. */
export const withoutFilters = (text: string): string =>
  text.replaceAll(filter, (_whole, number: string) => `($${number}::text is not null)`);

const parse = 'P'.charCodeAt(0);

/** One message of the protocol: its kind, its length with itself, its body. `Parse` is name, text, types of parameters. */
const rewrite = (message: Buffer, note: (before: string, after: string) => void): Buffer => {
  if (message[0] !== parse) return message;
  const nameEnd = message.indexOf(0, 5);
  const textEnd = message.indexOf(0, nameEnd + 1);
  const before = message.toString('utf8', nameEnd + 1, textEnd);
  const after = withoutFilters(before);
  note(before, after);
  const body = Buffer.concat([
    message.subarray(5, nameEnd + 1),
    Buffer.from(after, 'utf8'),
    message.subarray(textEnd),
  ]);
  const head = Buffer.alloc(5);
  head[0] = parse;
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

/** Messages may arrive in pieces, and several at once. The first of a connection has no kind. */
const carryChanged = (near: Socket, far: Socket, note: (before: string, after: string) => void): void => {
  let pending = Buffer.alloc(0);
  let isFirst = true;
  near.on('data', (bytes) => {
    pending = Buffer.concat([pending, Buffer.from(bytes)]);
    for (;;) {
      const kindLength = isFirst ? 0 : 1;
      if (pending.length < kindLength + 4) return;
      const length = pending.readInt32BE(kindLength) + kindLength;
      if (pending.length < length) return;
      const message = pending.subarray(0, length);
      pending = pending.subarray(length);
      far.write(isFirst ? message : rewrite(message, note));
      isFirst = false;
    }
  });
};

export const wayWithoutFilters = async (databaseUrl: string): Promise<WayWithoutFilters> => {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const changed = new Set<string>();
  const kept = new Set<string>();
  const note = (before: string, after: string): void => {
    if (after !== before) changed.add(after);
    if (/(?<!\w)"?org_id"?\s*(=|<>|in|any)\s*\(?\s*\$/.test(after)) kept.add(after);
  };
  // Questions are small and go one message at a time: held back, each waits for the acknowledgement of another.
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    sockets.add(near).add(far);
    carryChanged(near, far, note);
    far.on('data', (bytes) => near.write(bytes));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('close', () => other.destroy());
      one.on('error', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    changed,
    kept,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
};
