import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

/**
 * A network that can be taken away: a TCP proxy between two programs. It cuts real connections from outside, so
 * neither side can know more than it would in the field.
 */
export type TcpProxy = {
  readonly port: number;
  /** Refuses new connections and resets the open ones, as when a device loses its network. */
  readonly cut: () => Promise<void>;
  readonly mend: () => Promise<void>;
  /** Lets requests through and swallows every answer, until `mend`. */
  readonly loseAnswers: () => void;
  readonly close: () => Promise<void>;
};

export const startTcpProxy = async (targetPort: number, wantedPort = 0): Promise<TcpProxy> => {
  const sockets = new Set<Socket>();
  let swallowing = false;
  let server: Server;
  let port = wantedPort;

  const accept = (client: Socket): void => {
    const upstream = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => undefined);
    }
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      if (!swallowing) client.write(chunk);
    });
    upstream.on('end', () => client.end());
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  };

  const listen = async (): Promise<void> => {
    server = createServer({ allowHalfOpen: true, noDelay: true }, accept);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
    port = address.port;
  };

  const cut = async (): Promise<void> => {
    const closed = server.listening ? once(server, 'close') : Promise.resolve();
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  };

  await listen();
  return {
    get port() {
      return port;
    },
    cut,
    mend: async () => {
      swallowing = false;
      if (!server.listening) await listen();
    },
    loseAnswers: () => {
      swallowing = true;
    },
    close: cut,
  };
};
