import { createServer, request as ask } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What stands between a browser and Holdfast in some networks. `hold-back`: every answer is collected whole before it
 * is passed on, with its length. `cut-after-ms`: no answer may last longer. `cut-after-bytes`: each answer of the
 * feed is cut there, in the middle of whatever it says, for so many answers.
 */
export type ProxyManners =
  | { readonly kind: 'hold-back' | 'let-through' }
  | { readonly kind: 'cut-after-ms'; readonly ms: number }
  | { readonly kind: 'cut-after-bytes'; readonly bytes: number; readonly answers: number };

/** A real proxy in front of a pretend server. */
export class PretendProxy {
  readonly #target: string;
  readonly #server: Server;
  #cuts = 0;
  manners: ProxyManners;

  constructor(target: string, manners: ProxyManners) {
    this.#target = target;
    this.manners = manners;
    this.#server = createServer((request, response) => this.#pass(request, response));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers, url } = request;
    const upstream = ask(new URL(url ?? '/', this.#target), {
      ...(method !== undefined && { method }),
      headers,
    });
    upstream.on('response', (answer) => this.#answer(answer, response, url ?? ''));
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  }

  #answer(answer: IncomingMessage, response: ServerResponse, url: string): void {
    const { manners } = this;
    const head = () => response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on('error', () => response.destroy());
    if (manners.kind === 'hold-back') {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () => {
        const body = Buffer.concat(pieces);
        const { 'transfer-encoding': _chunked, ...headers } = answer.headers;
        response.writeHead(answer.statusCode ?? 502, { ...headers, 'content-length': body.length }).end(body);
      });
      return;
    }
    head();
    if (manners.kind === 'cut-after-ms') {
      const timer = setTimeout(() => response.destroy(), manners.ms);
      response.on('close', () => clearTimeout(timer));
    }
    if (manners.kind === 'cut-after-bytes' && url.startsWith('/v1/feed') && this.#cuts < manners.answers) {
      this.#cuts += 1;
      this.#cutAfter(answer, response, manners.bytes);
    } else answer.pipe(response);
  }

  #cutAfter(answer: IncomingMessage, response: ServerResponse, bytes: number): void {
    let left = bytes;
    answer.on('data', (piece: Buffer) => {
      const isLast = piece.length >= left;
      response.write(piece.subarray(0, left), () => {
        if (isLast) response.destroy();
      });
      left -= piece.length;
    });
    answer.on('end', () => response.end());
  }
}
