import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Refusal } from '../stripe/refusal.ts';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** How an answer ends on the wire. All but `whole` are what real networks do to real answers. */
export type Ending =
  | { how: 'whole' }
  | { how: 'drop' }
  | { how: 'hang' }
  | { how: 'truncate' }
  | { how: 'drip'; everyMs: number };

const json = { 'content-type': 'application/json' };

export function jsonAnswer(status: number, value: unknown): Answer {
  return { status, headers: json, body: JSON.stringify(value, null, 2) };
}

export function refusalAnswer(refusal: Refusal): Answer {
  return jsonAnswer(refusal.status, { error: refusal.error });
}

export function sendAnswer(bindings: HttpBindings, answer: Answer, ending: Ending): Response {
  if (ending.how === 'whole') {
    const { status, headers, body } = answer;
    return new Response(body, { status, headers });
  }
  const { incoming, outgoing } = bindings;
  if (ending.how === 'drop') incoming.socket.resetAndDestroy();
  if (ending.how === 'truncate') truncate(outgoing, answer);
  if (ending.how === 'drip') drip(outgoing, answer, ending.everyMs);
  // `hang` does nothing at all: the connection stays open until the caller or a stop ends it.
  return RESPONSE_ALREADY_SENT;
}

function writeHead(outgoing: ServerResponse, answer: Answer, body: Buffer): void {
  outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
}

/** Promises the whole length, delivers half, and cuts. */
function truncate(outgoing: ServerResponse, answer: Answer): void {
  const body = Buffer.from(answer.body);
  writeHead(outgoing, answer, body);
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.socket?.destroySoon());
}

/** One byte at a time, so that a timeout which only watches for idle sockets never strikes. */
function drip(outgoing: ServerResponse, answer: Answer, everyMs: number): void {
  const body = Buffer.from(answer.body);
  let sent = 0;
  writeHead(outgoing, answer, body);
  const timer = setInterval(() => {
    outgoing.write(body.subarray(sent, sent + 1));
    sent += 1;
    if (sent < body.length) return;
    clearInterval(timer);
    outgoing.end();
  }, everyMs);
  outgoing.on('close', () => clearInterval(timer));
}
