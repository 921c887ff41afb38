import type { IncomingMessage, ServerResponse } from 'node:http';

type Told = { readonly text: string; readonly lastId: string | null };

/** The feed of a pretend Holdfast: streams that stay open, and answers until caught up, from one history. */
export class PretendFeed {
  /** `Last-Event-ID` of each opening of a stream, and of each poll; `null` when there was none. */
  readonly openings: (string | null)[] = [];
  readonly polls: (string | null)[] = [];
  readonly #open = new Set<ServerResponse>();
  readonly #told: Told[] = [];
  /** What a beginning without a cursor is greeted with. */
  greeting = '';
  generation = 'g-1';
  /** A stream says no more than its headers, as if everything were held back on the way. */
  isMute = false;

  get openCount(): number {
    return this.#open.size;
  }

  /** Told to every open stream, and to whoever resumes from an earlier cursor. */
  tell(text: string): void {
    for (const feed of this.#open) feed.write(text);
    const ids = [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id ?? null);
    if (!/^event: (reset|live)$/m.test(text)) this.#told.push({ text, lastId: ids.at(-1) ?? null });
  }

  drop(): void {
    for (const feed of this.#open) feed.destroy();
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const cursor = request.headers['last-event-id'];
    const given = typeof cursor === 'string' ? cursor : null;
    const isPoll = request.url?.includes('until=caught-up') ?? false;
    (isPoll ? this.polls : this.openings).push(given);
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    if (isPoll) {
      response.end(this.#since(given) + this.#caughtUp(given));
      return;
    }
    if (this.isMute) response.flushHeaders();
    else response.write(`: hello\n\n${this.#since(given)}`);
    this.#open.add(response);
    response.on('close', () => this.#open.delete(response));
  }

  #since(cursor: string | null): string {
    if (cursor === null) return this.greeting;
    const after = this.#told.findLastIndex(({ lastId }) => lastId === cursor) + 1;
    return this.#told
      .slice(after)
      .map(({ text }) => text)
      .join('');
  }

  /** A beginning ends with the greeting's own `live`. */
  #caughtUp(cursor: string | null): string {
    if (cursor === null) return '';
    const id = this.#told.at(-1)?.lastId ?? cursor;
    return `event: live\ndata: ${JSON.stringify({ generation: this.generation })}\nid: ${id}\n\n`;
  }
}
