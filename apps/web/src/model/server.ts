import {
  lookupResponseSchema,
  operationDetailSchema,
  operationSchema,
  orderSchema,
  problemSchema,
  personOfSubject,
  subjectHeader,
  ticketSchema,
  type Operation,
  type OperationDetail,
  type Order,
  type Problem,
  type Role,
  roles,
  type Ticket,
} from '@holdfast/operation';

/** What may come of asking the server: its answer, its refusal in its own words, or no answer of its at all. */
export type Answer<Value> =
  | { readonly kind: 'answer'; readonly value: Value }
  | { readonly kind: 'refused'; readonly status: number; readonly problem: Problem | null }
  | { readonly kind: 'unreachable' };

export type Person = {
  readonly subject: string;
  readonly name: string;
  readonly role: Role;
  /** As operations and approvals name them: the same in every organisation. */
  readonly id: string;
  readonly organisation: { readonly id: string; readonly name: string };
  /** All of theirs, this one included. */
  readonly organisations: readonly Membership[];
};

export type Membership = {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly subject: string;
};

export type DemoSignIn = {
  readonly name: string;
  readonly role: string;
  readonly email: string;
  readonly password: string;
};

type Fetch = typeof fetch;
type Reader<Value> = (body: unknown) => Value;

const lookUpAtOnce = 500;
const questionTimeoutMs = 12_000;

/**
 * Reads and sign-in: what needs no safe-keeping. Every command goes through the outbox instead.
 */
export class Server {
  readonly #fetch: Fetch;
  #asker: () => string | null = () => null;

  constructor(fetcher: Fetch) {
    this.#fetch = fetcher;
  }

  /** Whom the screens show from now on: a session that is meanwhile for another is told so, and refuses. */
  askFor(subject: () => string | null): void {
    this.#asker = subject;
  }

  /** For screens that read what no other screen does: they bring their own reader, in their own chunk. */
  read<Value>(path: string, reader: Reader<Value>): Promise<Answer<Value>> {
    return this.#ask(path, {}, reader);
  }

  me(): Promise<Answer<Person>> {
    return this.#ask('/v1/me', {}, readPerson);
  }

  chooseOrganisation(organisationId: string): Promise<Answer<Person>> {
    return this.#ask('/v1/me/organisation', post({ organisationId }), readPerson);
  }

  /** What approvals are signed with; read by whoever signs. */
  signing(): Promise<Answer<unknown>> {
    return this.#ask('/v1/me/signing', {}, (body) => body);
  }

  demoSignIns(): Promise<Answer<readonly DemoSignIn[]>> {
    return this.#ask('/v1/demo', {}, readDemoSignIns);
  }

  signIn(email: string, password: string): Promise<Answer<void>> {
    return this.#ask('/api/auth/sign-in/email', post({ email, password }), () => undefined);
  }

  /** What the browser needs to ask for a passkey. It is the library's to read. */
  passkeyOptions(): Promise<Answer<unknown>> {
    return this.#ask('/v1/passkey-sign-in/options', post({}), (body) =>
      isRecord(body) ? body['options'] : null,
    );
  }

  signInWithPasskey(credential: unknown): Promise<Answer<void>> {
    return this.#ask('/v1/passkey-sign-in', post({ credential }), () => undefined);
  }

  setPassword(token: string, password: string): Promise<Answer<void>> {
    return this.#ask('/v1/set-password', post({ token, password }), () => undefined);
  }

  /** For screens that come as chunks of their own and read their own answers. With a body it is a POST. */
  asked<Value>(path: string, read: Reader<Value>, body?: object): Promise<Answer<Value>> {
    return this.#ask(path, body === undefined ? {} : post(body), read);
  }

  operation(id: string): Promise<Answer<OperationDetail>> {
    return this.#ask(`/v1/operations/${encodeURIComponent(id)}`, {}, (body) =>
      operationDetailSchema.parse(body),
    );
  }

  /** Asks the server to ask the provider now. It never submits anything. */
  check(id: string): Promise<Answer<Operation>> {
    return this.#ask(`/v1/operations/${encodeURIComponent(id)}/check`, post({}), (body) =>
      operationSchema.parse(body),
    );
  }

  /** What Holdfast has under each of these IDs, 500 at once; `null` where it knows nothing. */
  async lookUp(ids: readonly string[]): Promise<Answer<ReadonlyMap<string, Operation | null>>> {
    const found = new Map<string, Operation | null>();
    for (let from = 0; from < ids.length; from += lookUpAtOnce) {
      const asked = post({ ids: ids.slice(from, from + lookUpAtOnce) });
      const answer = await this.#ask('/v1/operations/lookup', asked, (body) =>
        lookupResponseSchema.parse(body),
      );
      if (answer.kind !== 'answer') return answer;
      for (const [id, operation] of Object.entries(answer.value.operations)) found.set(id, operation);
    }
    return { kind: 'answer', value: found };
  }

  order(id: string): Promise<Answer<Order>> {
    return this.#ask(`/v1/orders/${encodeURIComponent(id)}`, {}, (body) => orderSchema.parse(body));
  }

  orders(text: string): Promise<Answer<readonly Order[]>> {
    return this.#ask(`/v1/orders?${new URLSearchParams({ q: text, limit: '20' })}`, {}, itemsOf(orderSchema));
  }

  tickets(text: string): Promise<Answer<readonly Ticket[]>> {
    return this.#ask(
      `/v1/tickets?${new URLSearchParams({ q: text, limit: '20' })}`,
      {},
      itemsOf(ticketSchema),
    );
  }

  /** For screens that come later, and bring the reading of their answers with them. */
  ask<Value>(
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
    body: unknown,
    read: Reader<Value>,
  ): Promise<Answer<Value>> {
    return this.#ask(path, method === 'get' ? {} : { ...post(body), method: method.toUpperCase() }, read);
  }

  /** An answer that comes in pieces; `null` where it is not Holdfast's. Ended by the caller alone. */
  async stream(path: string, body: unknown, stop: AbortSignal): Promise<ReadableStream<Uint8Array> | null> {
    try {
      const { headers, ...request } = post(body);
      const response = await this.#fetch(path, {
        ...request,
        headers: { ...headers, ...this.#meant(path) },
        credentials: 'same-origin',
        redirect: 'error',
        signal: stop,
      });
      const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
      return response.ok && isStream ? response.body : null;
    } catch {
      return null;
    }
  }

  /** Who somebody is, is asked without saying it. */
  #meant(path: string): Record<string, string> {
    const subject = this.#asker();
    const isWho =
      path === '/v1/me' || path.startsWith('/api/auth/') || path.startsWith('/v1/passkey-sign-in');
    return subject === null || isWho ? {} : { [subjectHeader]: subject };
  }

  async #ask<Value>(path: string, init: RequestInit, read: Reader<Value>): Promise<Answer<Value>> {
    let response: Response;
    try {
      response = await this.#fetch(path, {
        ...init,
        headers: { ...init.headers, ...this.#meant(path) },
        credentials: 'same-origin',
        redirect: 'error',
        signal: AbortSignal.timeout(questionTimeoutMs),
      });
      // Reading the body can lose the connection as well as asking can.
      const text = await response.text();
      const body: unknown = text === '' ? null : JSON.parse(text);
      if (!response.ok) return { kind: 'refused', status: response.status, problem: readProblem(body) };
      return { kind: 'answer', value: read(body) };
    } catch {
      // No connection, a redirect, a web page, half a body: none of these is Holdfast's answer.
      return { kind: 'unreachable' };
    }
  }
}

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const readProblem = (body: unknown): Problem | null => {
  const parsed = problemSchema.safeParse(body);
  return parsed.success ? parsed.data : null;
};

const itemsOf =
  <Value>(schema: { parse(value: unknown): Value }): Reader<readonly Value[]> =>
  (body) => {
    const items = isRecord(body) ? body['items'] : body;
    if (!Array.isArray(items)) throw new Error('a list was expected');
    return items.map((item) => schema.parse(item));
  };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const text = (value: unknown, name: string): string => {
  if (typeof value !== 'string') throw new Error(`${name} must be text`);
  return value;
};

export const readPerson = (body: unknown): Person => {
  if (!isRecord(body) || !isRecord(body['organisation'])) throw new Error('a person was expected');
  const role = roleIn(body);
  const subject = text(body['subject'], 'subject');
  const organisation = {
    id: text(body['organisation']['id'], 'organisation.id'),
    name: text(body['organisation']['name'], 'organisation.name'),
  };
  // A person who was stored before there could be several has the one.
  const listed = Array.isArray(body['organisations']) ? body['organisations'] : [];
  const organisations = listed.filter(isRecord).map((one) => ({
    id: text(one['id'], 'organisations.id'),
    name: text(one['name'], 'organisations.name'),
    role: roleIn(one),
    subject: text(one['subject'], 'organisations.subject'),
  }));
  return {
    subject,
    id: personOfSubject(subject),
    name: text(body['name'], 'name'),
    role,
    organisation,
    organisations: organisations.length === 0 ? [{ ...organisation, role, subject }] : organisations,
  };
};

const roleIn = (body: Record<string, unknown>): Role => {
  const role = roles.find((known) => known === body['role']);
  if (role === undefined) throw new Error('an unknown role');
  return role;
};

const readDemoSignIns = (body: unknown): readonly DemoSignIn[] => {
  const list = isRecord(body) ? body['signIns'] : null;
  if (!Array.isArray(list)) throw new Error('a list was expected');
  return list.filter(isRecord).map((entry) => ({
    name: text(entry['name'], 'name'),
    role: text(entry['role'], 'role'),
    email: text(entry['email'], 'email'),
    password: text(entry['password'], 'password'),
  }));
};
