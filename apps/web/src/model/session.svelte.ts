import type * as pushNotices from './push-notices.ts';
import { roleMay } from '@holdfast/operation';
import type { Outbox } from '@holdfast/outbox';
import { type Answer, type Person, readPerson, type Server } from './server.ts';

/**
 * Who uses this device now.
 * starting: not known yet · signed-in: the server said so · on-device: the server was not reached (or no longer knows
 * us) and the last person here works with what is stored · signed-out: nobody (`left`: whoever was here signed out).
 */
export type SessionState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'signed-in'; readonly person: Person }
  | { readonly kind: 'on-device'; readonly person: Person }
  | { readonly kind: 'signed-out'; readonly because: 'nobody' | 'left' | 'ended' | 'unreachable' };

export type SignInResult =
  | 'signed-in'
  | 'wrong'
  | 'too-many'
  | 'unreachable'
  | { readonly unexpected: number; readonly says?: string };

const storageKey = 'holdfast-last-person';

type PushNotices = typeof pushNotices;

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

export class Session {
  #state = $state.raw<SessionState>({ kind: 'starting' });
  #lastPerson = $state.raw<Person | null>(storedPerson.read());
  #signInNeeded = $state(false);
  /** A question asked before somebody left must not let them in again. */
  #departures = 0;
  /** How often somebody has pressed “Sign out” here: from then on nothing that is under way lets them in again. */
  #signOuts = 0;
  /** Who this very tab is letting in right now. */
  #entering: string | null = null;
  readonly #server: Server;
  readonly #outbox: Outbox;

  constructor(server: Server, outbox: Outbox) {
    this.#server = server;
    this.#outbox = outbox;
    server.askFor(() => this.person?.subject ?? null);
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
    await this.#outbox.start({ subject: this.#lastPerson?.subject ?? null });
    this.#outbox.watch({ of: 'session' }, (read) => {
      if (read.state === 'ready') void this.#follow(read.value.subject, read.value.signOutOwed);
    });
    const departures = this.#departures;
    // Until a session that was signed out has really ended, its cookie must not let anybody in.
    const answer: Answer<Person> = (await this.#outbox.settleSignOut())
      ? await this.#server.me()
      : { kind: 'unreachable' };
    if (departures !== this.#departures) return;
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
    // Who signed out here goes first: the next person's cookie must not be the one that is ended.
    if (!(await this.#outbox.settleSignOut())) return 'unreachable';
    return this.#entered(await this.#server.signIn(email, password));
  }

  /** @param credential what the browser answered for a passkey */
  async signInWithPasskey(credential: unknown): Promise<SignInResult> {
    if (!(await this.#outbox.settleSignOut())) return 'unreachable';
    return this.#entered(await this.#server.signInWithPasskey(credential));
  }

  async #entered(answer: Answer<void>): Promise<SignInResult> {
    if (answer.kind === 'unreachable') return 'unreachable';
    if (answer.kind === 'refused') {
      if (answer.status === 429) return 'too-many';
      return answer.status === 401 || answer.status === 403 || answer.status === 400
        ? 'wrong'
        : { unexpected: answer.status };
    }
    const me = await this.#server.me();
    if (me.kind === 'unreachable') return 'unreachable';
    // The password was right, and still there is a no: its own words say why (no organisation any more).
    if (me.kind === 'refused') {
      const says = me.status === 401 ? me.problem?.detail : undefined;
      return says === undefined ? { unexpected: me.status } : { unexpected: me.status, says };
    }
    await this.#enter(me.value);
    return 'signed-in';
  }

  /** Goes on with what is stored here, without the server's word. Nothing is sent until somebody signs in. */
  openDevice(): void {
    const person = this.#lastPerson;
    if (person !== null) this.#state = { kind: 'on-device', person };
  }

  /**
   * The same person, for another organisation of theirs. What is queued for this one stays here under its own subject,
   * and what was only read from the server goes, as with another person.
   */
  async switchTo(organisationId: string): Promise<'switched' | 'refused' | 'unreachable'> {
    const departures = this.#departures;
    const answer = await this.#server.chooseOrganisation(organisationId);
    // Not heard does not mean not done: who this session is for now, the server says itself.
    const now = answer.kind === 'answer' ? answer : await this.#server.me();
    if (now.kind !== 'answer') return answer.kind === 'refused' ? 'refused' : 'unreachable';
    if (departures !== this.#departures) return 'refused';
    if (now.value.subject !== this.person?.subject) await this.#enter(now.value);
    if (now.value.organisation.id === organisationId) return 'switched';
    return answer.kind === 'refused' ? 'refused' : 'unreachable';
  }

  /**
   * Drafts and queue stay on the device, sealed to their owner; what was only read from the server goes. The outbox
   * has the sign-out before this returns, and tells the server of it: now, or first thing with a connection.
   */
  async signOut(): Promise<void> {
    this.#signOuts += 1;
    this.#departures += 1;
    void this.#aboutPush((push) => push.forgetPush());
    try {
      await this.#outbox.signedOut();
    } catch {
      // Storage cannot keep it now. It is noted all the same, and asked for at once.
      await this.#outbox.settleSignOut();
    }
    this.#leave();
  }

  /** The connection is back: is it still the same person? */
  async reconnected(): Promise<void> {
    if (this.#state.kind !== 'on-device' || !(await this.#outbox.settleSignOut())) return;
    const departures = this.#departures;
    const answer = await this.#server.me();
    if (answer.kind === 'answer' && departures === this.#departures) await this.#enter(answer.value);
  }

  /** Another tab signed somebody in or out: every tab agrees on who is here. */
  async #follow(subject: string | null, signOutOwed: boolean): Promise<void> {
    if (subject === null) {
      // Without a sign-out this is a device that opens for the first time, or one that lost its storage.
      if (signOutOwed || this.person !== null) this.#leave();
      return;
    }
    if (subject === this.#entering || subject === this.person?.subject) return;
    const answer = await this.#server.me();
    const stored = storedPerson.read();
    if (this.#outbox.subject() !== subject) return;
    if (answer.kind === 'answer' && answer.value.subject === subject) {
      this.#lastPerson = answer.value;
      this.#state = { kind: 'signed-in', person: answer.value };
    } else if (stored?.subject === subject) {
      this.#lastPerson = stored;
      this.#state = { kind: 'on-device', person: stored };
    }
  }

  #leave(): void {
    storedPerson.write(null);
    this.#lastPerson = null;
    this.#state = { kind: 'signed-out', because: 'left' };
    this.#departures += 1;
  }

  async #enter(person: Person): Promise<void> {
    const signOuts = this.#signOuts;
    storedPerson.write(person);
    this.#lastPerson = person;
    this.#entering = person.subject;
    await this.#outbox.signedIn(person.subject);
    this.#entering = null;
    // Whoever signed out while this was stored is out.
    if (signOuts !== this.#signOuts) return;
    this.#state = { kind: 'signed-in', person };
    void this.#aboutPush((push) => push.settlePush(this.#server, person));
    if (roleMay(person.role, 'approver')) void this.#learnSigning(person.subject);
  }

  /** Notices belong to who sits here. Only where the browser was once allowed to show any, so that nobody else loads it. */
  async #aboutPush(work: (push: PushNotices) => Promise<void>): Promise<void> {
    try {
      if (!('Notification' in globalThis) || Notification.permission !== 'granted') return;
      await work(await import('./push-notices.ts'));
    } catch {
      // The server shows nothing for a session that has ended, whatever this browser still holds.
    }
  }

  /** Whoever approves may have to sign without a connection later. */
  async #learnSigning(subject: string): Promise<void> {
    try {
      await (await import('./signing-keys.ts')).learnSigningKeys(this.#server, subject);
    } catch {
      // The code for it could not be had now; the approvals ask again.
    }
  }
}
