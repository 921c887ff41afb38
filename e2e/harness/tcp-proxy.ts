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

/** One that reads what it passes on. */
export type CuttingProxy = TcpProxy & {
  /**
   * Lets answers through up to the middle of this text, where it comes for the n-th time, and ends that connection
   * there: once, the next ones are whole again.
   * @returns whether that has happened
   */
  readonly cutAnswerIn: (text: string, pass?: number) => () => boolean;
};

export const startTcpProxy = async (targetPort: number, wantedPort = 0): Promise<CuttingProxy> => {
  const sockets = new Set<Socket>();
  let swallowing = false;
  let cutting: { readonly text: string; passesLeft: number; done: boolean } | undefined;
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
      if (swallowing) return;
      const place = cutting === undefined ? -1 : chunk.indexOf(cutting.text);
      if (cutting === undefined || place < 0 || (cutting.passesLeft -= 1) > 0)
        return void client.write(chunk);
      const middle = place + Math.floor(cutting.text.length / 2);
      cutting.done = true;
      cutting = undefined;
      upstream.removeAllListeners('data').resume();
      // Ended, not reset: a reset would take away also what the other side has not read yet.
      client.end(chunk.subarray(0, middle), () => client.destroy());
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
      cutting = undefined;
      if (!server.listening) await listen();
    },
    loseAnswers: () => {
      swallowing = true;
    },
    cutAnswerIn: (text, pass = 1) => {
      const one = { text, passesLeft: pass, done: false };
      cutting = one;
      return () => one.done;
    },
    close: cut,
  };
};
