import type { Outbox } from '@holdfast/outbox';
import type { Workbox } from 'workbox-window';
import type { OpenForms } from './open-forms.svelte.ts';
import { serviceWorkerAddress } from './service-worker-address.ts';
import {
  afterTakeover,
  conclude,
  hindranceOf,
  readUpdateMessage,
  type Hindrance,
  type TabStanding,
  type UpdateAnswer,
  type UpdateMessage,
} from './update-agreement.ts';

/**
 * offered: a newer version waits behind this one · asking: the other tabs are asked · starting: all agreed ·
 * left-behind: the other tabs run a newer version, this one has something open and keeps its own.
 */
export type UpdateState =
  | { readonly kind: 'none' | 'offered' | 'asking' | 'starting' | 'left-behind' }
  | { readonly kind: 'not-now'; readonly because: Hindrance };

/** Tabs answer in a few milliseconds, a busy one in some hundred; what is silent for longer is frozen. */
const answerTimeMs = 1_000;
/** An app that stays open for weeks asks now and then whether there is a newer one. */
const askAgainAfterMs = 15 * 60_000;

/** A name among the open tabs. Not `randomUUID`: an origin without TLS, as in an office's own network, has none. */
const freshName = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');

/** New versions of the app: offered, never forced, and loaded by all tabs together. */
export class AppUpdate {
  #state = $state.raw<UpdateState>({ kind: 'none' });
  #isSending = $state(false);
  #isOffline = $state(false);
  readonly #openForms: OpenForms;
  readonly #tab = freshName();
  #channel: BroadcastChannel | null = null;
  #workbox: Workbox | null = null;
  #round: { readonly id: string; readonly answers: readonly UpdateAnswer[] } | null = null;
  #isWaitingForSend = false;

  constructor(openForms: OpenForms) {
    this.#openForms = openForms;
  }

  get state(): UpdateState {
    return this.#state;
  }

  /** Why this tab cannot load another version now. */
  get hindrance(): Hindrance | null {
    return hindranceOf(this.#standing());
  }

  /** Registers the service worker and follows what becomes of it. In development there is none. */
  async start(outbox: Outbox): Promise<void> {
    if (!('serviceWorker' in navigator) || !import.meta.env.PROD) return;
    this.#follow(outbox);
    this.#channel = new BroadcastChannel('holdfast-update');
    this.#channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      const message = readUpdateMessage(data);
      if (message !== null) this.#heard(message);
    });
    navigator.serviceWorker.addEventListener('controllerchange', () => void this.#takenOver());
    const { Workbox } = await import('workbox-window');
    const workbox = new Workbox(serviceWorkerAddress(), { scope: '/', type: 'classic' });
    this.#workbox = workbox;
    workbox.addEventListener('waiting', () => {
      if (this.#state.kind === 'none') this.#state = { kind: 'offered' };
    });
    try {
      await workbox.register();
    } catch {
      // Private windows and odd settings refuse it: the app works, it only does not open without a connection.
      return;
    }
    this.#askNowAndThen(workbox);
  }

  /** The person wants the new version: every open tab is asked, and one that cannot is named. */
  async load(): Promise<void> {
    if (this.#state.kind === 'left-behind') {
      if (this.hindrance === null) globalThis.location.reload();
      return;
    }
    if (this.#state.kind === 'asking' || this.#state.kind === 'starting') return;
    this.#state = { kind: 'asking' };
    this.#round = { id: freshName(), answers: [] };
    this.#say({ kind: 'ask', round: this.#round.id });
    this.#judge(false);
    await new Promise((resolve) => setTimeout(resolve, answerTimeMs));
    this.#judge(true);
  }

  #standing(): TabStanding {
    return {
      hasUnsavedForm: this.#openForms.any,
      isSending: this.#isSending,
      isOffline: this.#isOffline,
    };
  }

  #follow(outbox: Outbox): void {
    outbox.watch({ of: 'items' }, (read) => {
      if (read.state === 'ready') this.#isSending = read.value.some(({ sending }) => sending);
      if (!this.#isSending && this.#isWaitingForSend) void this.#takenOver();
    });
    outbox.watch({ of: 'connectivity' }, (read) => {
      if (read.state === 'ready') this.#isOffline = read.value.holdfast === 'not-reached';
    });
  }

  #say(message: UpdateMessage): void {
    this.#channel?.postMessage(message);
  }

  #heard(message: UpdateMessage): void {
    if (message.kind === 'ask') {
      this.#say({ kind: 'answer', round: message.round, tab: this.#tab, hindrance: this.hindrance });
      return;
    }
    if (this.#round?.id !== message.round) return;
    this.#round = { id: message.round, answers: [...this.#round.answers, message] };
    this.#judge(false);
  }

  #judge(isTimeUp: boolean): void {
    if (this.#round === null || this.#state.kind !== 'asking') return;
    const conclusion = conclude({ own: this.hindrance, answers: this.#round.answers, isTimeUp });
    if (conclusion.kind === 'waiting') return;
    this.#round = null;
    if (conclusion.kind === 'agreed') {
      this.#state = { kind: 'starting' };
      this.#workbox?.messageSkipWaiting();
    } else {
      // What hinders this very tab is shown as long as it does; of another tab it is known only that it did.
      this.#state = conclusion.elsewhere
        ? { kind: 'not-now', because: conclusion.because }
        : { kind: 'offered' };
    }
  }

  /** Another service worker controls this tab. It may be a newer one, or the very first. */
  async #takenOver(): Promise<void> {
    this.#isWaitingForSend = false;
    if (await isOurs(navigator.serviceWorker.controller)) return;
    switch (afterTakeover(this.#standing())) {
      case 'reload':
        globalThis.location.reload();
        return;
      case 'when-sent':
        this.#isWaitingForSend = true;
        return;
      case 'stay':
        this.#state = { kind: 'left-behind' };
    }
  }

  #askNowAndThen(workbox: Workbox): void {
    let askedAtMs = performance.now();
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState !== 'visible' || performance.now() - askedAtMs < askAgainAfterMs) return;
      askedAtMs = performance.now();
      // Without a connection the question fails, and is asked another time.
      workbox.update().catch(() => undefined);
    });
  }
}

const longestAnswerMs = 3_000;

/** Whether this service worker is of the build that this page runs: it knows by the name of the page's own script. */
const isOurs = async (worker: ServiceWorker | null): Promise<boolean> => {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src;
  if (worker === null || script === undefined) return true;
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise<boolean>((resolve) => {
    port1.addEventListener('message', ({ data }: MessageEvent<unknown>) => resolve(data === true));
    port1.start();
    // One that does not know the question is of a version from before there was one.
    setTimeout(() => resolve(false), longestAnswerMs);
  });
  worker.postMessage({ type: 'IS_THIS_YOURS', path: new URL(script).pathname }, [port2]);
  return answer;
};
