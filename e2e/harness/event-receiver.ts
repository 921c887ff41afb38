import { once } from 'node:events';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

export type ReceivedEvent = { readonly type: string; readonly id: string };

/** A program outside, on this machine, that is told what becomes of refunds and believes only what is signed. */
export type EventReceiver = {
  readonly url: string;
  /** What events have to be signed with from now on. */
  readonly trust: (secret: string) => void;
  /** How the next ones are answered. */
  readonly answer: (status: number) => void;
  /** Those whose signature was right and that were taken, in order of arrival. */
  readonly taken: () => readonly ReceivedEvent[];
  readonly stop: () => Promise<void>;
};

export const startEventReceiver = async (): Promise<EventReceiver> => {
  let secret = '';
  let status = 204;
  const taken: ReceivedEvent[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      let type: string;
      try {
        const told = new Webhook(secret).verify(Buffer.concat(chunks).toString('utf8'), headers);
        type = (told as { type: string }).type;
      } catch {
        response.writeHead(401).end();
        return;
      }
      if (status < 300) taken.push({ type, id: headers['webhook-id'] ?? '' });
      response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${String(address.port)}/holdfast`,
    trust: (told) => (secret = told),
    answer: (next) => (status = next),
    taken: () => taken,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
