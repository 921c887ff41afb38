import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export type Received = {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Whether the library of Standard Webhooks takes it, by each of the receiver's secrets. */
  readonly verifiedBy: readonly string[];
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type Receiver = {
  readonly url: string;
  readonly received: Received[];
  /** What it verifies with. */
  secrets: string[];
  answer: (response: ServerResponse, received: Received) => void;
  readonly stop: () => Promise<void>;
};

const ok = (response: ServerResponse): void => {
  response.writeHead(204).end();
};

const verifies = (secret: string, body: string, headers: IncomingHttpHeaders): boolean => {
  try {
    const of = (name: string): string => String(headers[name]);
    new Webhook(secret).verify(body, {
      'webhook-id': of('webhook-id'),
      'webhook-timestamp': of('webhook-timestamp'),
      'webhook-signature': of('webhook-signature'),
    });
    return true;
  } catch {
    return false;
  }
};

/** Somebody else's program: it knows of us what Standard Webhooks says, and nothing more. */
export const startReceiver = async (): Promise<Receiver> => {
  const receiver = { received: [] as Received[], secrets: [] as string[], answer: ok as Receiver['answer'] };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      const { type, data } = JSON.parse(body) as Pick<Received, 'type' | 'data'>;
      const { headers } = request;
      const verifiedBy = receiver.secrets.filter((secret) => verifies(secret, body, headers));
      const received = { id: String(headers['webhook-id']), type, data, verifiedBy, headers, body };
      receiver.received.push(received);
      receiver.answer(response, received);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${String(port)}/events`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  });
};
