import { once } from 'node:events';
import { Agent, createServer, request as ask } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TcpProxy } from './tcp-proxy.ts';

/**
 * What becomes of one request.
 * - `pass`: it is passed on, and its answer comes back.
 * - `refuse`: the connection is reset before anything was passed on.
 * - `hold`: it arrives nowhere until `release`; then it is passed on, also when its sender is gone by then.
 * - `lose-answer`: the server has it and has answered; the connection is reset before a byte of that comes back.
 * - `cut-answer`: the server has it and has answered; half of that comes back, then the connection is reset.
 * - `hold-answer`: the server has it and has answered; that comes back after `release`.
 * - `hold-back`: its answer is collected whole, and comes back with its length once it is over.
 * - `cutAfterMs`: its answer comes back as it comes, and is cut after that.
 * - `delayMs`, `answerAfterMs`: the request, or its answer, takes this long.
 * - `status`: something on the way answers with this status.
 * - `portal-redirect`, `portal-page`: a hotel's network answers instead, with a redirect or with a page.
 */
export type Fate =
  | 'pass'
  | 'refuse'
  | 'hold'
  | 'lose-answer'
  | 'cut-answer'
  | 'hold-answer'
  | 'hold-back'
  | 'portal-redirect'
  | 'portal-page'
  | { readonly cutAfterMs: number }
  | { readonly delayMs: number }
  | { readonly answerAfterMs: number }
  | { readonly status: number };

export type PassingRequest = { readonly method: string; readonly path: string; readonly body: string };
export type Deciding = (request: PassingRequest) => Fate;

/** What was decided about a request, what the server answered to it, and whether all of that came back. */
export type SeenRequest = PassingRequest & {
  readonly fate: Fate;
  readonly atMs: number;
  status: number | null;
  answered: boolean;
};

/** A network between browsers and the server whose faults a test chooses, request by request, while it runs. */
export type FaultProxy = TcpProxy & {
  /** From now on, for every new request. */
  readonly decide: (deciding: Deciding) => void;
  /** Lets everything go on that is held. */
  readonly release: () => void;
  /** Takes the network away and gives it back, this long each, until `mend`. */
  readonly flap: (periodMs: number) => void;
  readonly seen: () => readonly SeenRequest[];
  /** Forgets what it has seen. */
  readonly clear: () => void;
};

const pauseFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const portalPage = '<!doctype html><title>Hotel</title><h1>Welcome. Sign in to use this network.</h1>';

const readBody = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const reset = (outgoing: ServerResponse): void => void outgoing.socket?.resetAndDestroy();

const answerAsPortal = (outgoing: ServerResponse, fate: 'portal-redirect' | 'portal-page'): void => {
  if (fate === 'portal-redirect') outgoing.writeHead(302, { location: 'http://portal.invalid/login' }).end();
  else outgoing.writeHead(200, { 'content-type': 'text/html' }).end(portalPage);
};

/** Everything that is held: it goes on, or it is lost. */
const createGate = () => {
  let held: ((goesOn: boolean) => void)[] = [];
  const end = (goesOn: boolean): void => {
    const waiting = held;
    held = [];
    for (const tell of waiting) tell(goesOn);
  };
  return {
    wait: (): Promise<boolean> => new Promise((resolve) => held.push(resolve)),
    release: () => end(true),
    lose: () => end(false),
  };
};

const createForwarder = (targetPort: number) => {
  const agent = new Agent({ keepAlive: false });
  /** Rejects when the server cannot be reached. */
  return (incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const upstream = ask(
        {
          agent,
          host: '127.0.0.1',
          port: targetPort,
          method: incoming.method ?? 'GET',
          path: incoming.url ?? '/',
          headers: incoming.headers,
        },
        resolve,
      );
      upstream.on('error', reject);
      upstream.end(body);
    });
};

/** Passes the answer on as it comes, a stream too; whoever ends first ends the other. */
const passAnswer = (answer: IncomingMessage, outgoing: ServerResponse): void => {
  const { connection: _connection, 'transfer-encoding': _encoding, ...headers } = answer.headers;
  outgoing.writeHead(answer.statusCode ?? 502, headers);
  outgoing.flushHeaders();
  answer.pipe(outgoing);
  answer.on('error', () => reset(outgoing));
  outgoing.on('close', () => answer.destroy());
};

/** As proxies do that look through an answer before anybody may have it: a stream never comes out of them. */
const passWhole = async (answer: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  const { connection: _connection, 'transfer-encoding': _encoding, ...headers } = answer.headers;
  outgoing.on('close', () => answer.destroy());
  const body = await readBody(answer);
  outgoing.writeHead(answer.statusCode ?? 502, { ...headers, 'content-length': body.length }).end(body);
};

/** As long as it said, half of it there, and then nothing more. */
const passHalf = async (answer: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  const { connection: _connection, 'transfer-encoding': _encoding, ...headers } = answer.headers;
  const body = await readBody(answer);
  outgoing.writeHead(answer.statusCode ?? 502, { ...headers, 'content-length': body.length });
  outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => outgoing.socket?.end());
};

type Carrier = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

const createCarrier = (
  targetPort: number,
  deciding: () => Deciding,
  gate: ReturnType<typeof createGate>,
  seen: SeenRequest[],
): Carrier => {
  const forward = createForwarder(targetPort);
  return async (incoming, outgoing) => {
    const body = await readBody(incoming);
    const asked = { method: incoming.method ?? 'GET', path: incoming.url ?? '/', body: body.toString() };
    const fate = deciding()(asked);
    const record: SeenRequest = { ...asked, fate, atMs: Date.now(), status: null, answered: false };
    outgoing.on('finish', () => (record.answered = true));
    seen.push(record);
    if (fate === 'refuse') return reset(outgoing);
    if (fate === 'portal-page' || fate === 'portal-redirect') return answerAsPortal(outgoing, fate);
    if (typeof fate === 'object' && 'status' in fate)
      return void outgoing.writeHead(fate.status).end('trouble');
    if (typeof fate === 'object' && 'delayMs' in fate) await pauseFor(fate.delayMs);
    if (fate === 'hold' && !(await gate.wait())) return;
    if (outgoing.destroyed && fate !== 'hold') return;
    const answer = await forward(incoming, body);
    record.status = answer.statusCode ?? null;
    if (fate === 'hold-answer') await gate.wait();
    if (typeof fate === 'object' && 'answerAfterMs' in fate) await pauseFor(fate.answerAfterMs);
    if (fate === 'lose-answer' || outgoing.destroyed) {
      answer.resume();
      return reset(outgoing);
    }
    if (fate === 'cut-answer') return passHalf(answer, outgoing);
    if (fate === 'hold-back') return passWhole(answer, outgoing);
    passAnswer(answer, outgoing);
    if (typeof fate === 'object' && 'cutAfterMs' in fate) setTimeout(() => reset(outgoing), fate.cutAfterMs);
  };
};

const listenOn = async (server: Server, port: number): Promise<number> => {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return address.port;
};

export const startFaultProxy = async (targetPort: number): Promise<FaultProxy> => {
  const sockets = new Set<Socket>();
  const seen: SeenRequest[] = [];
  const gate = createGate();
  let deciding: Deciding = () => 'pass';
  let flapping: NodeJS.Timeout | undefined;
  let isAway = false;
  const carry = createCarrier(targetPort, () => deciding, gate, seen);
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
    carry(incoming, outgoing).catch(() => reset(outgoing));
  });
  // Refused connection by connection, not by closing the port: another program must not get it meanwhile.
  server.on('connection', (socket) => {
    if (isAway) return void socket.resetAndDestroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  const port = await listenOn(server, 0);

  const goAway = (): void => {
    isAway = true;
    for (const socket of sockets) socket.resetAndDestroy();
    gate.lose();
  };
  const stopFlapping = (): void => {
    clearInterval(flapping);
    flapping = undefined;
  };

  return {
    port,
    decide: (next) => {
      deciding = next;
    },
    release: gate.release,
    flap: (periodMs) => {
      goAway();
      flapping = setInterval(() => (isAway ? (isAway = false) : goAway()), periodMs);
    },
    seen: () => seen,
    clear: () => void seen.splice(0),
    cut: async () => {
      stopFlapping();
      goAway();
    },
    mend: async () => {
      stopFlapping();
      isAway = false;
      deciding = () => 'pass';
      gate.release();
    },
    loseAnswers: () => {
      deciding = () => 'lose-answer';
    },
    close: async () => {
      stopFlapping();
      goAway();
      server.close();
    },
  };
};
