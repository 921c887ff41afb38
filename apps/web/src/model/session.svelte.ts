import type { Outbox } from '@holdfast/outbox';
import { type Answer, type Person, readPerson, type Server } from './server.ts';

/**
 * Who uses this device now.
 * starting: not known yet · signed-in: the server said so · on-device: the server was not reached (or no longer knows
 * us) and the last person here works with what is stored · signed-out: nobody.
 */
export type SessionState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'signed-in'; readonly person: Person }
  | { readonly kind: 'on-device'; readonly person: Person }
  | { readonly kind: 'signed-out'; readonly because: 'nobody' | 'ended' | 'unreachable' };

export type SignInResult =
  'signed-in' | 'wrong' | 'too-many' | 'unreachable' | { readonly unexpected: number };

const storageKey = 'holdfast-last-person';
const owedKey = 'holdfast-sign-out-owed';

/** The last person who signed in here, so that the app opens without a connection. Names only, no secret. */
const storedPerson = {
  read(): Person | null {
    try {
      const text = localStorage.getItem(storageKey);
      return text === null ? null : readPerson(JSON.parse(text));
    } catch {
      return null;
    }
  },
  write(person: Person | null): void {
    try {
      if (person === null) localStorage.removeItem(storageKey);
      else localStorage.setItem(storageKey, JSON.stringify(person));
    } catch {
      // Without this storage the app asks for a sign-in each time; nothing that was saved depends on it.
    }
  },
};

/** A sign-out without a connection: the server still has to hear of it. */
const owedSignOut = {
  read(): boolean {
    try {
      return localStorage.getItem(owedKey) !== null;
    } catch {
      return false;
    }
  },
  write(owed: boolean): void {
    try {
      if (owed) localStorage.setItem(owedKey, 'owed');
      else localStorage.removeItem(owedKey);
    } catch {
      // Then the session ends when it runs out.
    }
  },
};

export class Session {
  #state = $state.raw<SessionState>({ kind: 'starting' });
  #lastPerson = $state.raw<Person | null>(storedPerson.read());
  #signInNeeded = $state(false);
  readonly #server: Server;
  readonly #outbox: Outbox;

  constructor(server: Server, outbox: Outbox) {
    this.#server = server;
    this.#outbox = outbox;
  }

  get state(): SessionState {
    return this.#state;
  }

  get person(): Person | null {
    return this.#state.kind === 'signed-in' || this.#state.kind === 'on-device' ? this.#state.person : null;
  }

  /** Who could open what is on this device. */
  get lastPerson(): Person | null {
    return this.#lastPerson;
  }

  /** The server has said that it does not know who we are: what is saved here waits for a sign-in. */
  get signInNeeded(): boolean {
    return this.#signInNeeded;
  }

  /** Opens for the last person first, so that a slow or missing connection delays nothing, then asks the server. */
  async start(): Promise<void> {
    this.openDevice();
    this.#outbox.watch({ of: 'connectivity' }, (read) => {
      this.#signInNeeded = read.state === 'ready' && read.value.signInNeeded;
    });
    const starting = this.#outbox.start({ subject: this.#lastPerson?.subject ?? null });
    if (owedSignOut.read()) owedSignOut.write((await this.#server.signOut()).kind === 'unreachable');
    // Until the session has really ended, its cookie must not let the next person in.
    const answer: Answer<Person> = owedSignOut.read() ? { kind: 'unreachable' } : await this.#server.me();
    await starting;
    if (answer.kind === 'answer') {
      await this.#enter(answer.value);
    } else if (answer.kind === 'unreachable' || answer.status >= 500) {
      const person = this.#lastPerson;
      this.#state =
        person === null ? { kind: 'signed-out', because: 'unreachable' } : { kind: 'on-device', person };
    } else {
      this.#state = { kind: 'signed-out', because: this.#lastPerson === null ? 'nobody' : 'ended' };
    }
  }

  async signIn(email: string, password: string): Promise<SignInResult> {
    const answer = await this.#server.signIn(email, password);
    if (answer.kind === 'unreachable') return 'unreachable';
    if (answer.kind === 'refused') {
      if (answer.status === 429) return 'too-many';
      return answer.status === 401 || answer.status === 403 || answer.status === 400
        ? 'wrong'
        : { unexpected: answer.status };
    }
    const me = await this.#server.me();
    if (me.kind === 'unreachable') return 'unreachable';
    if (me.kind === 'refused') return { unexpected: me.status };
    owedSignOut.write(false);
    await this.#enter(me.value);
    return 'signed-in';
  }

  /** Goes on with what is stored here, without the server's word. Nothing is sent until somebody signs in. */
  openDevice(): void {
    const person = this.#lastPerson;
    if (person !== null) this.#state = { kind: 'on-device', person };
  }

  /** Drafts and queue stay on the device, sealed to their owner; what was only read from the server goes. */
  async signOut(): Promise<void> {
    const answer = await this.#server.signOut();
    owedSignOut.write(answer.kind === 'unreachable');
    await this.#outbox.signedOut();
    storedPerson.write(null);
    this.#lastPerson = null;
    this.#state = { kind: 'signed-out', because: 'nobody' };
  }

  /** The connection is back: is it still the same person? */
  async reconnected(): Promise<void> {
    if (this.#state.kind !== 'on-device' || owedSignOut.read()) return;
    const answer = await this.#server.me();
    if (answer.kind === 'answer') await this.#enter(answer.value);
  }

  async #enter(person: Person): Promise<void> {
    storedPerson.write(person);
    this.#lastPerson = person;
    await this.#outbox.signedIn(person.subject);
    this.#state = { kind: 'signed-in', person };
  }
}
