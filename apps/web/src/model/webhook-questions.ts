import type { Answer, Server } from './server.ts';

export type Endpoint = {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  /** Empty: all. */
  readonly eventTypes: readonly string[];
  readonly on: boolean;
  readonly createdAt: string;
  readonly oldSecretSignsUntil: string | null;
  readonly waiting: number;
  readonly failures: number;
  readonly failingSince: string | null;
  readonly markedFailingAt: string | null;
  readonly nextTryAt: string | null;
  readonly lastSuccessAt: string | null;
};
export type Delivery = {
  readonly eventId: string;
  readonly type: string;
  readonly operationId: string | null;
  readonly madeAt: string;
  readonly deliveredAt: string | null;
  readonly nextTryAt: string | null;
  readonly attempts: readonly {
    readonly number: number;
    readonly at: string;
    readonly durationMs: number;
    readonly status: number | null;
    readonly outcome: string;
  }[];
};
export type Endpoints = { readonly items: readonly Endpoint[]; readonly eventTypes: readonly string[] };
type Secret = { readonly id: string; readonly secret: string };

/** The app and its server come together; what does not even have these fields is no answer of ours. */
const having =
  <Value extends object>(...fields: readonly (keyof Value & string)[]) =>
  (body: unknown): Value => {
    if (typeof body !== 'object' || body === null || fields.some((field) => !(field in body))) {
      throw new Error(`an answer with ${fields.join(', ')} was expected`);
    }
    return body as Value;
  };
const nothing = (): void => undefined;
const route = '/v1/webhook-endpoints';

/** What an admin asks and does about where events are sent. */
export class WebhookQuestions {
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  list = (): Promise<Answer<Endpoints>> =>
    this.#server.asked(route, having<Endpoints>('items', 'eventTypes'));
  add = (added: object): Promise<Answer<Secret>> =>
    this.#server.asked(route, having<Secret>('secret'), added);
  turn = (id: string, on: boolean): Promise<Answer<void>> =>
    this.#server.asked(`${route}/${id}/switch`, nothing, { on });
  remove = (id: string): Promise<Answer<void>> => this.#server.asked(`${route}/${id}/remove`, nothing, {});
  rotate = (id: string, graceSeconds: number): Promise<Answer<Secret>> =>
    this.#server.asked(`${route}/${id}/rotate`, having<Secret>('secret'), { graceSeconds });
  test = (id: string): Promise<Answer<void>> => this.#server.asked(`${route}/${id}/test`, nothing, {});
  deliveries = (id: string, undelivered: boolean): Promise<Answer<{ readonly items: readonly Delivery[] }>> =>
    this.#server.asked(
      `${route}/${id}/deliveries?undelivered=${String(undelivered)}`,
      having<{ items: readonly Delivery[] }>('items'),
    );
  redeliver = (id: string, what: object): Promise<Answer<{ readonly events: number }>> =>
    this.#server.asked(`${route}/${id}/redeliver`, having<{ events: number }>('events'), what);
}
