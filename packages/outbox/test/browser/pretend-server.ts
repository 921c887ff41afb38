import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import type { Operation } from '@holdfast/operation';
import { PretendHoldfast } from '../pretend-holdfast.ts';
import { sampleProblem } from '../samples.ts';
import { PretendFeed } from './pretend-feed.ts';

/** What the server does to the next request for commands, instead of answering it. */
export type ServerFault =
  | 'error-500'
  | 'busy-503'
  | 'html-502'
  | 'hang'
  | 'take-then-hang'
  | 'drop'
  | 'take-then-drop'
  | 'signed-out'
  | 'too-old'
  | 'slow';

export type ServerReport = {
  readonly arrived: PretendHoldfast['arrived'];
  readonly operations: Operation[];
  readonly lookedUp: string[][];
  readonly protocols: string[];
  /** `Last-Event-ID` of each opening of the feed; `null` when there was none. */
  readonly feedOpenings: (string | null)[];
  /** The same of each answer until caught up. */
  readonly feedPolls: (string | null)[];
  readonly feedsOpen: number;
  readonly requests: number;
  /** Sessions that were ended here. */
  readonly signOuts: number;
  /** How often the hotel's own page was asked for. */
  readonly portalVisits: number;
  readonly mostUnderWay: number;
};

const readBody = async (request: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
};

/** A real HTTP server with the manners of Holdfast, and faults on demand. The page is of another origin: hence CORS. */
export class PretendServer {
  readonly holdfast = new PretendHoldfast();
  readonly feed = new PretendFeed();
  readonly faults: ServerFault[] = [];
  readonly #protocols: string[] = [];
  #server: Server = createServer();
  #port = 0;
  #requests = 0;
  #portalVisits = 0;
  #underWay = 0;
  #mostUnderWay = 0;
  feedStatus = 200;
  /** A hotel's network in front of everything. */
  portal: 'redirect' | 'web-page' | null = null;

  async listen(): Promise<string> {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** From now on connections are refused. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  report(): ServerReport {
    return {
      arrived: this.holdfast.arrived,
      operations: [...this.holdfast.operations.values()],
      lookedUp: this.holdfast.lookedUp,
      protocols: this.#protocols,
      feedOpenings: this.feed.openings,
      feedPolls: this.feed.polls,
      feedsOpen: this.feed.openCount,
      requests: this.#requests,
      signOuts: this.holdfast.signOuts,
      portalVisits: this.#portalVisits,
      mostUnderWay: this.#mostUnderWay,
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', '*, Content-Type, Last-Event-ID, Holdfast-Protocol');
    response.setHeader('Access-Control-Expose-Headers', 'Retry-After');
    const body = await readBody(request).catch(() => '');
    if (request.method === 'OPTIONS') response.writeHead(204).end();
    else if (this.portal !== null) this.#showPortal(request, response);
    else if (request.url?.split('?')[0] === '/v1/feed') this.#openFeed(request, response);
    else if (request.url === '/v1/operations/lookup') this.#json(response, this.holdfast.lookup(body));
    else if (request.url === '/api/auth/sign-out') this.#json(response, this.holdfast.signOut());
    else if (request.url === '/v1/commands') await this.#takeCommands(request, response, body);
    else response.writeHead(404).end();
  }

  #showPortal(request: IncomingMessage, response: ServerResponse): void {
    if (request.url === '/hotel') this.#portalVisits += 1;
    const isAsked = this.portal === 'redirect' && request.url !== '/hotel';
    if (isAsked) response.writeHead(307, { Location: '/hotel' }).end();
    else response.writeHead(200, { 'Content-Type': 'text/html' }).end('<form>Welcome to the hotel</form>');
  }

  #json(response: ServerResponse, text: string): void {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(text);
  }

  #problem(
    response: ServerResponse,
    slug: string,
    status: number,
    headers: Record<string, string> = {},
  ): void {
    response.writeHead(status, { 'Content-Type': 'application/problem+json', ...headers });
    response.end(JSON.stringify(sampleProblem(slug, status, false)));
  }

  #openFeed(request: IncomingMessage, response: ServerResponse): void {
    if (this.feedStatus !== 200) return this.#problem(response, 'unauthenticated', this.feedStatus);
    this.feed.serve(request, response);
  }

  async #takeCommands(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    this.#requests += 1;
    this.#protocols.push(String(request.headers['holdfast-protocol']));
    this.#underWay += 1;
    this.#mostUnderWay = Math.max(this.#mostUnderWay, this.#underWay);
    response.on('close', () => (this.#underWay -= 1));
    const fault = this.faults.shift();
    if (fault === undefined) return this.#json(response, this.holdfast.commands(body));
    await this.#misbehave(fault, response, body);
  }

  async #misbehave(fault: ServerFault, response: ServerResponse, body: string): Promise<void> {
    switch (fault) {
      case 'error-500':
        response.writeHead(500, { 'Content-Type': 'text/plain' }).end('no');
        return;
      case 'busy-503':
        return this.#problem(response, 'unavailable', 503, { 'Retry-After': '1' });
      case 'html-502':
        response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
        return;
      case 'take-then-hang':
        this.holdfast.commands(body);
        return;
      case 'hang':
        return;
      case 'take-then-drop':
        this.holdfast.commands(body);
        response.destroy();
        return;
      case 'drop':
        response.destroy();
        return;
      case 'signed-out':
        return this.#problem(response, 'unauthenticated', 401);
      case 'too-old':
        return this.#problem(response, 'unsupported-protocol', 426);
      case 'slow':
        await after(200);
        return this.#json(response, this.holdfast.commands(body));
    }
  }
}
