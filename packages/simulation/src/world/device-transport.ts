import type { Delivery, Transport } from '@holdfast/outbox/decisions';
import type { Chance } from './chance.ts';
import type { NetworkTroubles } from './device.ts';
import type { Mortal, Scheduler } from './scheduler.ts';
import type { WireAnswer } from './server-door.ts';

/** What one tab sends through. */
export type TransportGrounds = {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly network: NetworkTroubles;
  /** Hands a request to whichever server is there; never resolves where none answers. */
  readonly asked: (path: string, body: string) => Promise<WireAnswer>;
};

const answered = ({ status, contentType, text }: WireAnswer, redirected = false): Delivery => ({
  ...{ kind: 'answered', redirected, retryAfter: null, status, contentType, text },
});

const page = '<!doctype html><title>Welcome</title><p>Accept our terms to go online.</p>';

/** Answers that are not the server's: of a network that wants to be signed in to, of a cache, of whatever stands between. */
const strangers: readonly Delivery[] = [
  answered({ status: 200, contentType: 'text/html', text: page }),
  answered({ status: 200, contentType: 'text/html', text: page }, true),
  answered({ status: 200, contentType: 'application/json', text: '{"results":[]}' }),
  answered({ status: 200, contentType: 'application/json', text: '{}' }),
  answered({ status: 200, contentType: 'application/json', text: '{"results":[{"comma' }),
  answered({ status: 401, contentType: 'text/html', text: page }),
  answered({ status: 404, contentType: 'application/json', text: '{"error":"not found"}' }),
  answered({ status: 502, contentType: 'text/html', text: '<h1>Bad gateway</h1>' }),
];

/** Of a list of commands only the first part goes through, and only that is answered. */
const firstPartOf = (body: string): string => {
  const read = JSON.parse(body) as { readonly commands?: readonly unknown[] };
  const { commands } = read;
  if (commands === undefined || commands.length < 2) return body;
  return JSON.stringify({ ...read, commands: commands.slice(0, Math.ceil(commands.length / 2)) });
};

/** The network of one tab: what leaves goes its own way, and may arrive twice, late, half or not at all. */
export const createTransport = (grounds: TransportGrounds, mortal: Mortal): Transport => {
  const { scheduler, chance, network } = grounds;
  return {
    send: async ({ path, body: whole, timeoutMs }): Promise<Delivery> => {
      await scheduler.pause(chance.below(20), mortal);
      if (chance.happens(network.offline)) return { kind: 'threw', detail: 'TypeError: Failed to fetch' };
      const timedOut = scheduler.pause(timeoutMs, mortal).then((): Delivery => ({ kind: 'timed-out' }));
      if (chance.happens(network.lost)) return timedOut;
      const isMet = chance.happens(network.stranger);
      const stranger = isMet && chance.happens(0.7) ? chance.pick(strangers) : undefined;
      if (stranger !== undefined) return stranger;
      const body = isMet ? firstPartOf(whole) : whole;
      // What left goes its own way, and may arrive twice, or long after the device has given up.
      const delayMs = chance.happens(network.late) ? timeoutMs + chance.below(8_000) : chance.below(60);
      if (chance.happens(network.doubled)) {
        scheduler.later(delayMs + chance.below(6_000), null, () => {
          grounds.asked(path, body).catch(() => undefined);
        });
      }
      const answer = new Promise<WireAnswer>((resolve, reject) => {
        scheduler.later(delayMs, null, () => {
          grounds.asked(path, body).then(resolve, reject);
        });
      });
      if (chance.happens(network.answerLost)) {
        answer.catch(() => undefined);
        return timedOut;
      }
      const backInMs = chance.below(chance.happens(network.answerLate) ? timeoutMs : 60);
      const heard = answer.then(async (given): Promise<Delivery> => {
        await scheduler.pause(backInMs, mortal);
        return answered(given);
      });
      return Promise.race([heard, timedOut]);
    },
  };
};
