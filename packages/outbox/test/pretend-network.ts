import type { Cancellation } from '../src/ports.ts';
import type { ServerRequest, Transport } from '../src/send/transport.ts';
import type { Delivery } from '../src/send/verdict.ts';
import type { PretendHoldfast } from './pretend-holdfast.ts';
import { sampleProblem } from './samples.ts';

/** What a network can do to one request. `lost-…-after`: the server acted, the answer did not come. */
export const networkOutcomes = [
  'arrives',
  'refused-connection',
  'lost-answer',
  'timed-out-after',
  'error-500',
  'error-500-after',
  'html-502',
  'busy-503',
  'rate-limited',
  'sign-in-page',
  'html-200',
  'signed-out',
  'wrong-subject',
  'role-removed',
  'foreign-json',
  'half-a-body',
  'another-command',
  'unknown-problem',
  'too-large-413',
  'not-found-404',
  'arrives-late',
  'killed-before',
  'killed-after',
] as const;
export type NetworkOutcome = (typeof networkOutcomes)[number];

const answer = (
  status: number,
  contentType: string,
  text: string,
  retryAfter: string | null = null,
): Delivery => ({
  kind: 'answered',
  status,
  redirected: false,
  contentType,
  retryAfter,
  text,
});

const problem = (slug: string, status: number, retryAfter: string | null = null): Delivery =>
  answer(status, 'application/problem+json', JSON.stringify(sampleProblem(slug, status, false)), retryAfter);

/** The server's answer to this very command: you may not. */
const refusedAs = (slug: string, { body }: ServerRequest): string => {
  const { commands = [] } = JSON.parse(body) as { commands?: { commandId: string }[] };
  const refused = { status: 'rejected', problem: sampleProblem(slug, 403) };
  return JSON.stringify({ results: commands.map(({ commandId }) => ({ commandId, ...refused })) });
};

/** The tab ended in the middle of a request: nothing after the call runs. */
export class TabKilled extends Error {}

const killed = (): never => {
  throw new TabKilled('the tab ended');
};

export class PretendNetwork implements Transport {
  readonly #server: PretendHoldfast;
  readonly #next: () => NetworkOutcome;
  /** Requests under way for each command, and the most there ever were. */
  readonly underWay = new Map<string, number>();
  mostUnderWay = 0;
  /** A request that carries one of these commands meets this, whatever else would have come of it. */
  readonly poison = new Map<string, NetworkOutcome>();
  /** How many commands each request carried, and the bodies as they came. */
  readonly requests: { readonly commandIds: readonly string[]; readonly request: ServerRequest }[] = [];
  /** What happens while a request is on its way. */
  before: () => Promise<void> = () => Promise.resolve();
  /** What the next request meets, when that is decided by somebody else. */
  meets: NetworkOutcome | null = null;
  /** Requests that nobody waits for any more and that still arrive. */
  readonly late: ServerRequest[] = [];

  constructor(server: PretendHoldfast, next: () => NetworkOutcome) {
    this.#server = server;
    this.#next = next;
  }

  async send(request: ServerRequest, _cancellation: Cancellation): Promise<Delivery> {
    const count = (this.underWay.get(request.body) ?? 0) + 1;
    this.underWay.set(request.body, count);
    this.mostUnderWay = Math.max(this.mostUnderWay, count);
    try {
      await this.before();
      return this.#meet(request, this.#outcomeOf(request));
    } finally {
      this.underWay.set(request.body, count - 1);
    }
  }

  #outcomeOf(request: ServerRequest): NetworkOutcome {
    if (this.meets !== null) return this.meets;
    if (request.path !== '/v1/commands') return this.#next();
    const { commands } = JSON.parse(request.body) as { commands: { commandId: string }[] };
    const commandIds = commands.map(({ commandId }) => commandId);
    this.requests.push({ commandIds, request });
    const poisoned = commandIds.find((id) => this.poison.has(id));
    return poisoned === undefined ? this.#next() : (this.poison.get(poisoned) ?? 'arrives');
  }

  /** The oldest late request arrives now; its answer is lost. */
  deliverLate(): void {
    const request = this.late.shift();
    if (request) this.#serve(request);
  }

  #serve({ path, body }: ServerRequest): string {
    if (path === '/api/auth/sign-out') return this.#server.signOut();
    return path === '/v1/commands' ? this.#server.commands(body) : this.#server.lookup(body);
  }

  #meet(request: ServerRequest, outcome: NetworkOutcome): Delivery {
    switch (outcome) {
      case 'arrives':
        return answer(200, 'application/json; charset=utf-8', this.#serve(request));
      case 'refused-connection':
        return { kind: 'threw', detail: 'TypeError: Failed to fetch' };
      case 'lost-answer':
        this.#serve(request);
        return { kind: 'threw', detail: 'TypeError: Failed to fetch' };
      case 'timed-out-after':
        this.#serve(request);
        return { kind: 'timed-out' };
      case 'error-500':
        return answer(500, 'text/plain', 'no');
      case 'error-500-after':
        this.#serve(request);
        return answer(500, 'application/json', '{"error":422}');
      case 'html-502':
        return answer(502, 'text/html', '<h1>Bad gateway 401</h1>');
      case 'busy-503':
        return problem('unavailable', 503, '30');
      case 'rate-limited':
        return problem('rate-limited', 429, '2');
      case 'sign-in-page':
        return {
          kind: 'answered',
          status: 0,
          redirected: true,
          contentType: null,
          retryAfter: null,
          text: '',
        };
      case 'html-200':
        return answer(200, 'text/html', '<form>Welcome to the hotel</form>');
      case 'signed-out':
        return problem('unauthenticated', 401);
      case 'wrong-subject':
        return problem('wrong-subject', 403);
      case 'role-removed':
        return answer(200, 'application/json', refusedAs('forbidden', request));
      case 'foreign-json':
        return answer(200, 'application/json', '{"ok":true}');
      case 'half-a-body':
        return answer(200, 'application/json', this.#serve(request).slice(0, 40));
      case 'another-command':
        return answer(200, 'application/json', '{"results":[{"commandId":"x","status":"applied"}]}');
      case 'unknown-problem':
        return problem('brand-new', 409);
      case 'too-large-413':
        return answer(413, 'text/html', '<h1>Request entity too large</h1>');
      case 'not-found-404':
        return answer(404, 'text/html', '<h1>Not found</h1>');
      case 'arrives-late':
        this.late.push(request);
        return { kind: 'timed-out' };
      case 'killed-before':
        return killed();
      case 'killed-after':
        this.#serve(request);
        return killed();
    }
  }
}
