import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ZodError } from 'zod';
import { nowMs, openBooks, type Answer } from './books.ts';
import { control, type World } from './control.ts';
import { takeFault, type Fault } from './faults.ts';
import { makeRefund } from './make-refund.ts';
import { recordIn, type Call, type Shape } from './shapes/shape.ts';
import { shapeAt } from './shapes/shapes.ts';
import { startWebhooks } from './webhooks.ts';

export interface Program {
  port: number;
  stop: () => Promise<void>;
}

const largestBody = 1024 * 1024;

const readBody = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.byteLength;
    if (length > largestBody) throw new Error('the request body is larger than 1 MB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const send = (outgoing: ServerResponse, { status, headers, body }: Answer): void => {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
  outgoing.end(JSON.stringify(body));
};

/** A request that the provider refuses to know: the credential of a test that wants to be refused begins so. */
const isRefused = (credential: string | undefined): boolean =>
  credential === undefined || credential.startsWith('refused');

/** The end of a refund call as the fault has it. The refund, if there is one, stands already. */
const answerWith = (
  outgoing: ServerResponse,
  shape: Shape,
  answer: Answer,
  fault: Fault | undefined,
): void => {
  const text = JSON.stringify(answer.body);
  switch (fault?.do) {
    case 'execute_then_drop':
      outgoing.socket?.destroy();
      return;
    case 'execute_then_hang':
      return;
    case 'execute_then_500':
      return send(outgoing, shape.serverError());
    case 'html_502':
      outgoing.writeHead(502, { 'content-type': 'text/html' });
      outgoing.end('<html><body><h1>502 Bad Gateway</h1></body></html>');
      return;
    case 'truncated_body':
      outgoing.writeHead(answer.status, {
        'content-type': 'application/json',
        'content-length': text.length,
      });
      outgoing.write(text.slice(0, Math.floor(text.length / 2)), () => outgoing.socket?.destroy());
      return;
    case 'drip_body':
      return drip(outgoing, answer.status, text);
    case 'empty_200':
      outgoing.writeHead(200, { 'content-type': 'application/json' });
      outgoing.end();
      return;
    case 'drop_before':
    case 'rate_limit':
    case 'stays_pending':
    case 'hide_from_list':
    case 'wrong_amount':
    case undefined:
      return send(outgoing, answer);
  }
};

/** A byte now and then, and never the last one. */
const drip = (outgoing: ServerResponse, status: number, text: string): void => {
  outgoing.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length });
  let at = 0;
  const timer = setInterval(() => {
    if (at < text.length - 1) outgoing.write(text.charAt(at));
    at += 1;
  }, 20);
  outgoing.on('close', () => clearInterval(timer));
};

const meet = async (
  world: World,
  shape: Shape,
  call: Call,
  rawBody: string,
  outgoing: ServerResponse,
): Promise<void> => {
  const { books, faults, webhooks } = world;
  const { method, path } = call;
  books.requests.push({ provider: shape.name, method, path, key: shape.keyOf(call), body: rawBody });
  if (isRefused(shape.credential(call))) return send(outgoing, shape.unauthorised());
  const asked = shape.refundCall(call);
  if (asked === undefined) {
    const answer = shape.question(books, call, nowMs(books));
    return send(outgoing, answer ?? { status: 404, body: {} });
  }
  const fault = asked === 'bad-request' ? undefined : takeFault(faults, shape.name, asked.payment);
  if (fault?.do === 'drop_before') {
    outgoing.socket?.destroy();
    return;
  }
  if (fault?.do === 'rate_limit') return send(outgoing, shape.tooMany());
  const { answer, refund } = await makeRefund(books, shape, call, asked, rawBody, fault);
  if (refund !== null && refund.status !== 'pending') {
    webhooks.tell(shape, refund, 'settled', fault?.webhook === 'held');
  }
  answerWith(outgoing, shape, answer, fault);
};

const handle = async (world: World, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  const rawBody = await readBody(incoming);
  const [, first = '', ...rest] = url.pathname.split('/');
  const call: Call = {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, value?.toString()]),
    ),
    body: undefined,
  };
  if (first === 'fake') return send(outgoing, control(world, call, parse(rawBody)));
  const shape = shapeAt(first);
  if (shape === undefined) return send(outgoing, { status: 404, body: {} });
  const own = { ...call, path: `/${rest.join('/')}`, body: recordIn(parse(rawBody)) };
  return meet(world, shape, own, rawBody, outgoing);
};

/** Starts all fakes on one port of this machine. Nothing is written to disk: their books end with the process. */
export const startProgram = async (port: number): Promise<Program> => {
  const books = openBooks();
  const world: World = { books, faults: [], webhooks: startWebhooks(books) };
  const server = createServer((incoming, outgoing) => {
    void handle(world, incoming, outgoing).catch((problem: unknown) => {
      const status = problem instanceof ZodError ? 400 : 500;
      if (!outgoing.headersSent) send(outgoing, { status, body: { problem: String(problem) } });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      world.webhooks.stop();
      const closed = new Promise((resolve) => server.close(resolve));
      // Answers that hang or drip on purpose would keep the server open for ever.
      server.closeAllConnections();
      await closed;
    },
  };
};
