import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** The connection between server and provider, with the first line of every request that went over it. */
export type ProviderWire = {
  readonly port: number;
  /** "GET /v1/refunds?payment_intent=pi_1&limit=100", in order. */
  readonly requestLines: () => readonly string[];
  /** Those whose answers are not all there yet. */
  readonly openLines: () => readonly string[];
  readonly close: () => Promise<void>;
};

/** The server opens one connection a request, so the first line of a connection is its request. */
export const startProviderWire = async (providerPort: number): Promise<ProviderWire> => {
  const lines: string[] = [];
  const open = new Set<{ readonly line: string }>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: providerPort, host: '127.0.0.1', noDelay: true });
    let head = '';
    client.on('data', (chunk) => {
      if (head.includes('\r\n')) return;
      head += chunk.toString('latin1');
      const end = head.indexOf(' HTTP/1.1\r\n');
      if (end < 0) return;
      const request = { line: head.slice(0, end) };
      lines.push(request.line);
      open.add(request);
      client.on('close', () => open.delete(request));
    });
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    client.pipe(upstream);
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the wire has no port');
  return {
    port: address.port,
    requestLines: () => lines,
    openLines: () => [...open].map(({ line }) => line),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
};
