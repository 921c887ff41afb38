import type { Cancellation } from '../../src/ports.ts';
import type { ServerRequest, Transport } from '../../src/send/transport.ts';
import type { Delivery } from '../../src/send/verdict.ts';
import type { PretendHoldfast } from '../pretend-holdfast.ts';
import { PretendNetwork } from '../pretend-network.ts';
import type { NetworkOutcome } from '../pretend-network.ts';
import { createActor } from './turns.ts';
import type { Actor, Turns } from './turns.ts';

/** What each thing that a network does may be called on a screen. */
const reasonsOf: Record<NetworkOutcome, readonly string[]> = {
  arrives: ['not-known-there', 'not-allowed'],
  'refused-connection': ['unreachable'],
  'lost-answer': ['unreachable'],
  'timed-out-after': ['timed-out'],
  'error-500': ['server-trouble'],
  'error-500-after': ['server-trouble'],
  'html-502': ['server-trouble'],
  'busy-503': ['server-trouble'],
  'rate-limited': ['slow-down'],
  'sign-in-page': ['network-sign-in'],
  'html-200': ['network-sign-in'],
  'signed-out': ['sign-in'],
  'wrong-subject': ['wrong-subject'],
  'role-removed': ['not-allowed'],
  'foreign-json': ['not-understood'],
  'half-a-body': ['not-understood'],
  'another-command': ['not-understood'],
  'unknown-problem': ['not-understood'],
  'too-large-413': ['too-large'],
  'not-found-404': ['foreign-answer'],
  'arrives-late': ['timed-out'],
  'killed-before': [],
  'killed-after': [],
};

const commandsOf = ({ path, body }: ServerRequest): readonly object[] =>
  path === '/v1/commands' ? (JSON.parse(body) as { commands: object[] }).commands : [];

/** The way to Holdfast: what was handed to it arrives or not, whoever is still there to hear of it. */
export class FlakyWire {
  readonly #turns: Turns;
  readonly #server: PretendHoldfast;
  readonly #network: PretendNetwork;
  readonly #self = createActor('wire');
  next: () => NetworkOutcome = () => 'arrives';
  /** Called with the text of each command that leaves. */
  leaving: (text: string) => void = () => undefined;
  /** Texts of commands that were handed over, and what may be said of them for it. */
  readonly handedOver = new Map<string, Set<string>>();
  /** Commands that share a request now, the most there were. */
  mostTogether = 0;

  constructor(server: PretendHoldfast, turns: Turns) {
    this.#turns = turns;
    this.#server = server;
    this.#network = new PretendNetwork(server, () => this.next());
  }

  get late(): readonly ServerRequest[] {
    return this.#network.late;
  }

  deliverLate(): void {
    this.#network.deliverLate();
  }

  of(actor: Actor): Transport {
    return { send: (request, cancellation) => this.#send(actor, request, cancellation) };
  }

  async #send(actor: Actor, request: ServerRequest, cancellation: Cancellation): Promise<Delivery> {
    const texts = commandsOf(request).map((command) => JSON.stringify(command));
    this.mostTogether = Math.max(this.mostTogether, texts.length);
    for (const text of texts) this.leaving(text);
    const said = texts.map((text) => this.#saidOf(text));
    await this.#turns.wait(this.#self);
    const outcome = this.next();
    for (const reasons of said) for (const reason of reasonsOf[outcome]) reasons.add(reason);
    const history = this.#server.history;
    this.#network.meets = outcome;
    const delivery = await this.#network.send(request, cancellation);
    await this.#turns.wait(actor);
    // A server that was restored meanwhile broke all connections.
    if (history !== this.#server.history) {
      for (const reasons of said) reasons.add('unreachable');
      return { kind: 'threw', detail: 'TypeError: Failed to fetch' };
    }
    return delivery;
  }

  #saidOf(text: string): Set<string> {
    const known = this.handedOver.get(text);
    if (known) return known;
    const fresh = new Set<string>();
    this.handedOver.set(text, fresh);
    return fresh;
  }
}
