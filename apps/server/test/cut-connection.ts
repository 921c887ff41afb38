import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A way to a database that can be cut, or can fall silent while every connection stays open. */
export type Way = {
  readonly url: string;
  readonly cut: () => void;
  readonly silence: () => void;
  readonly restore: () => void;
  readonly close: () => Promise<void>;
};

type State = 'open' | 'cut' | 'silent';

/** What arrives while the way is silent is kept, and goes on when it is restored: as with a process that is frozen. */
const carry = (from: Socket, to: Socket, state: () => State, held: Set<() => void>): void => {
  from.on('data', (bytes) => {
    if (state() === 'silent') held.add(() => to.write(bytes));
    else to.write(bytes);
  });
  from.on('close', () => to.destroy());
  from.on('error', () => to.destroy());
};

export const wayTo = async (databaseUrl: string): Promise<Way> => {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const held = new Set<() => void>();
  let state: State = 'open';
  const server = createServer({ noDelay: true }, (near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    sockets.add(near).add(far);
    carry(near, far, () => state, held);
    carry(far, near, () => state, held);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    held.clear();
  };
  return {
    url: url.href,
    cut: () => {
      state = 'cut';
      destroyAll();
    },
    silence: () => {
      state = 'silent';
    },
    restore: () => {
      state = 'open';
      for (const release of held) release();
      held.clear();
    },
    close: async () => {
      destroyAll();
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
};
