import { bodyOf, type Attempted } from '@holdfast/engine';
import {
  claimAnnouncements,
  forgetDelivered,
  recordAnnounced,
  type ClaimedAnnouncement,
  type InOrganisation,
} from '@holdfast/engine/postgres';
import { takeTurns } from '../background/take-turns.ts';
import type { OutsideSender } from './outside-sender.ts';
import { openSigningSecret, signedHeaders } from './signing-secret.ts';

export type AnnounceParts = {
  readonly inOrganisation: InOrganisation;
  /** Organisations that have something to deliver now. */
  readonly organisations: () => Promise<readonly string[]>;
  readonly sender: OutsideSender;
  /** What the signing secrets are sealed with; `undefined`: this process has none. */
  readonly sealingKey: () => Promise<Uint8Array | undefined>;
  readonly publicOrigin: string;
  readonly nowMs: () => number;
  /** Of [0, 1). */
  readonly chance: () => number;
  /** Of one organisation, or of all (`null`). Never names an address. */
  readonly onTrouble: (error: unknown, organisationId: string | null) => void;
};

/** What signs now: the newest first. `null`: the newest cannot be read here. */
const secretsOf = (
  key: Uint8Array,
  organisationId: string,
  { endpointId, endpoint }: ClaimedAnnouncement,
  nowMs: number,
): readonly string[] | null => {
  const newest = openSigningSecret(key, organisationId, endpointId, endpoint.secret);
  if (newest === undefined) return null;
  const { previousSecret, previousUntil } = endpoint;
  if (previousSecret === null || previousUntil === null || previousUntil.getTime() <= nowMs) return [newest];
  const previous = openSigningSecret(key, organisationId, endpointId, previousSecret);
  return previous === undefined ? [newest] : [newest, previous];
};

const attempt = async (
  parts: AnnounceParts,
  organisationId: string,
  claimed: ClaimedAnnouncement,
  stop: AbortSignal,
): Promise<Attempted | 'aborted'> => {
  const key = await parts.sealingKey();
  const now = parts.nowMs();
  const secrets = key === undefined ? null : secretsOf(key, organisationId, claimed, now);
  if (secrets === null) return { outcome: 'secret-unreadable', status: null, durationMs: 0 };
  const body = bodyOf(claimed, parts.publicOrigin);
  const headers = signedHeaders(claimed.eventId, body, secrets, new Date(now));
  return parts.sender.send({ url: claimed.endpoint.url, headers, body }, stop);
};

/** So many are under way in one process at once. */
const mostUnderWay = 64;

export type Announcer = {
  /** Takes what is due and sends it, without waiting for what comes of it. @returns how many were taken */
  readonly turn: () => Promise<number>;
  /** Once nothing is under way any more. */
  readonly settled: () => Promise<void>;
  /** Gives up on what is under way: it is sent again under the same ID. */
  readonly abort: () => void;
};

export const createAnnouncer = (parts: AnnounceParts): Announcer => {
  const underWay = new Set<Promise<void>>();
  const stop = new AbortController();
  const { inOrganisation, onTrouble } = parts;
  const deliver = async (organisationId: string, claimed: ClaimedAnnouncement): Promise<void> => {
    const attempted = await attempt(parts, organisationId, claimed, stop.signal);
    // Nobody knows what came of it: the claim runs out, and it is sent again.
    if (attempted === 'aborted') return;
    await inOrganisation(organisationId, (tx) => recordAnnounced(tx, claimed, attempted, parts.chance()));
  };
  const begin = (organisationId: string, claimed: ClaimedAnnouncement): void => {
    const delivery = deliver(organisationId, claimed)
      .catch((error: unknown) => {
        onTrouble(error, organisationId);
      })
      .finally(() => underWay.delete(delivery));
    underWay.add(delivery);
  };
  return {
    turn: async () => {
      let taken = 0;
      for (const id of await parts.organisations()) {
        if (underWay.size >= mostUnderWay || stop.signal.aborted) break;
        const claimed = await inOrganisation(id, claimAnnouncements).catch((error: unknown) => {
          onTrouble(error, id);
          return [];
        });
        for (const one of claimed) begin(id, one);
        if (claimed.length > 0) await inOrganisation(id, forgetDelivered);
        taken += claimed.length;
      }
      return taken;
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    abort: () => {
      stop.abort();
    },
  };
};

/** Everything that is due now, and what becomes due by it: nothing is left that could go out. */
export const announceOnce = async (parts: AnnounceParts): Promise<void> => {
  const announcer = createAnnouncer(parts);
  while ((await announcer.turn()) > 0) await announcer.settled();
};

const betweenLooksMs = { busy: 100, idle: 1_000 };
/** A stop waits so long for what is under way. */
const patienceMs = 3_000;

/** Looks again and again, beside the worker and never in its way, outliving a database that is away. @returns the stop */
export const announceRegularly = (parts: AnnounceParts): (() => Promise<void>) => {
  const announcer = createAnnouncer(parts);
  const stop = takeTurns(0, async () => {
    const taken = await announcer.turn().catch((error: unknown) => {
      parts.onTrouble(error, null);
      return 0;
    });
    return taken > 0 ? betweenLooksMs.busy : betweenLooksMs.idle;
  });
  return async () => {
    await stop();
    const timer = setTimeout(announcer.abort, patienceMs);
    await announcer.settled();
    clearTimeout(timer);
  };
};
