import { lookup, type LookupAddress } from 'node:dns';
import { request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { outcomeOfStatus, type Attempted, type DeliveryOutcome } from '@holdfast/engine';
import { mayConnectTo, type AddressRule } from './address-rules.ts';
import { judgeEndpointAddress } from './endpoint-address.ts';

/** Where a name leads, now. Rejects with the system's error code. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export type Sent = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
export type OutsideSender = {
  /** Never throws: what came of it is a value. `aborted`: nobody knows. */
  readonly send: (what: Sent, stop?: AbortSignal) => Promise<Attempted | 'aborted'>;
};

export type OutsideSenderParts = AddressRule & {
  readonly nowMs: () => number;
  readonly resolve?: Resolve;
  /** A certificate to trust beside the usual ones; tests have a receiver of their own. */
  readonly certificate?: string;
  readonly deadlineMs?: number;
};

const usualDeadlineMs = 15_000;

const bySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });

const notAllowed = (): Error => Object.assign(new Error('not a public address'), { code: 'NOT_ALLOWED' });

/**
 * The connection is made to the very addresses that were looked at: a name that is asked again could lead elsewhere. One
 * address among them that is not allowed, and none is.
 */
const checkedLookup =
  (rule: AddressRule, resolve: Resolve): LookupFunction =>
  (hostname, options, done) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every(({ address }) => mayConnectTo(address, rule))) {
          done(notAllowed(), '', 4);
        } else if (options.all === true) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
      (error: unknown) => {
        done(error instanceof Error ? error : notAllowed(), '', 4);
      },
    );
  };

const nameUnknown = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'ENODATA', 'EAI_NONAME'];
const notSecure = /^(ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/;

const outcomeOfError = (error: unknown): DeliveryOutcome => {
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (code === 'NOT_ALLOWED') return 'address-not-allowed';
  if (nameUnknown.includes(code)) return 'name-unknown';
  return notSecure.test(code) ? 'not-secure' : 'unreachable';
};

type Answer = { readonly outcome: DeliveryOutcome; readonly status: number | null };

const post = (
  { url, headers, body }: Sent,
  beside: { readonly lookup: LookupFunction; readonly agent: HttpsAgent; readonly signal: AbortSignal },
): Promise<Answer> =>
  new Promise((resolve) => {
    const { lookup: ownLookup, agent, signal } = beside;
    const options = { method: 'POST', headers, lookup: ownLookup, signal };
    const asked = url.startsWith('https:')
      ? httpsRequest(url, { ...options, agent })
      : httpRequest(url, { ...options, agent: false });
    asked.on('response', (response) => {
      const status = response.statusCode ?? 0;
      resolve({ outcome: outcomeOfStatus(status), status });
      // What else it says is nothing to us: it is not read, so it cannot be long or come slowly.
      response.destroy();
      asked.destroy();
    });
    asked.on('error', (error) => {
      resolve({ outcome: outcomeOfError(error), status: null });
    });
    asked.end(body);
  });

/** Asks once, follows nothing, reads no answer's body, and ends by its deadline whatever the other side does. */
export const openOutsideSender = (parts: OutsideSenderParts): OutsideSender => {
  const { nowMs, allowLoopback, certificate, resolve = bySystem, deadlineMs = usualDeadlineMs } = parts;
  const rule = { allowLoopback };
  const agent = new HttpsAgent({
    keepAlive: false,
    ...(certificate === undefined ? {} : { ca: certificate }),
  });
  const ownLookup = checkedLookup(rule, resolve);
  return {
    send: async (what, stop) => {
      const began = nowMs();
      const ended = (answer: Answer): Attempted => ({ ...answer, durationMs: Math.max(0, nowMs() - began) });
      // It was taken under other rules than today's, or names an address, for which no lookup is asked.
      const judged = judgeEndpointAddress(what.url, rule);
      if (!judged.ok) return ended({ outcome: 'address-not-allowed', status: null });
      const deadline = AbortSignal.timeout(deadlineMs);
      const signal = stop === undefined ? deadline : AbortSignal.any([deadline, stop]);
      const answer = await post({ ...what, url: judged.href }, { lookup: ownLookup, agent, signal });
      if (answer.status === null && stop?.aborted === true) return 'aborted';
      if (answer.status === null && deadline.aborted) return ended({ outcome: 'timed-out', status: null });
      return ended(answer);
    },
  };
};
