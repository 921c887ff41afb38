import { createHash } from 'node:crypto';
import { judgeDelivery, type Delivery, type DeliveryVerdict, type MailOut } from '@holdfast/engine';
import {
  claimNotices,
  escalateUntaken,
  planWaitingNotices,
  recordDelivery,
  type ClaimedNotice,
  type InOrganisation,
} from '@holdfast/engine/postgres';
import { takeTurns } from '../background/take-turns.ts';
import { MailNotSent, type Mail } from '../mail/mail.ts';
import { noticeLetter, pushPayload } from './notice-words.ts';
import type { PushSender } from './push-sender.ts';

export type NotifyParts = {
  readonly inOrganisation: InOrganisation;
  /** Organisations in which something waits, or a notice is on its way. */
  readonly organisations: () => Promise<readonly string[]>;
  readonly push: PushSender;
  readonly mail: Mail;
  readonly publicOrigin: string;
  /** Of one organisation, or of all (`null`). Never names anybody. */
  readonly onTrouble: (error: unknown, organisationId: string | null) => void;
  /** How long a proposal waits before anybody is told; left out, the usual few seconds. */
  readonly quietMs?: number;
  /** How long a case may wait before operators and admins are told that nobody has taken it. */
  readonly escalateAfterMs: number;
};

export const mailOutOf = ({ way }: Pick<Mail, 'way'>): MailOut =>
  way === 'smtp' ? 'leaves' : way === 'console' ? 'shown' : 'nowhere';

/** What a browser replaces by: one notice a kind and organisation. Nobody can read from it which. */
const tagOf = (organisationId: string, kind: string): string =>
  createHash('sha256').update(`${kind} ${organisationId}`).digest('base64url').slice(0, 32);

/** What waits is told of again by then, should the push service not have reached the browser. */
const secondsToLive = 12 * 3_600;

const byMail = async (mail: Mail, letter: Parameters<Mail['send']>[0]): Promise<Delivery> => {
  try {
    await mail.send(letter);
    return { kind: 'answered', status: 200, retryAfterMs: null };
  } catch (error) {
    if (error instanceof MailNotSent) return { kind: 'unreachable' };
    throw error;
  }
};

const deliver = async (
  { push, mail, publicOrigin }: NotifyParts,
  organisationId: string,
  notice: ClaimedNotice,
): Promise<DeliveryVerdict> => {
  const { to } = notice;
  if (to.by === 'mail') {
    return judgeDelivery(await byMail(mail, noticeLetter(notice, to.address, publicOrigin)), notice.tries);
  }
  const topic = tagOf(organisationId, notice.kind);
  const content = { payload: pushPayload(notice, topic), topic, secondsToLive };
  return judgeDelivery(await push.send(to, content), notice.tries);
};

/** So many leave at once, and so many in one turn of an organisation: the rest in the next turn. */
const atOnce = 8;
const mostInATurn = 80;

const notifyOrganisation = async (
  parts: NotifyParts,
  organisationId: string,
  stopped: () => boolean,
): Promise<void> => {
  const { inOrganisation } = parts;
  const quiet = parts.quietMs === undefined ? {} : { quietMs: parts.quietMs };
  await escalateUntaken(inOrganisation, organisationId, parts.escalateAfterMs);
  await inOrganisation(organisationId, (tx) =>
    planWaitingNotices(tx, { mail: mailOutOf(parts.mail), ...quiet }),
  );
  for (let left = mostInATurn; left > 0 && !stopped(); left -= atOnce) {
    const claimed = await inOrganisation(organisationId, (tx) => claimNotices(tx, atOnce));
    // Fewer may come than were taken: what is wanted no more ends there.
    if (claimed.length === 0) return;
    await Promise.all(
      claimed.map(async (notice) => {
        const verdict = await deliver(parts, organisationId, notice);
        await inOrganisation(organisationId, (tx) => recordDelivery(tx, notice, verdict));
      }),
    );
  }
};

/** Tells everybody who is to be told now. One organisation's trouble keeps no other from its notices. */
export const notifyOnce = async (parts: NotifyParts, stopped: () => boolean = () => false): Promise<void> => {
  for (const id of await parts.organisations()) {
    if (stopped()) return;
    await notifyOrganisation(parts, id, stopped).catch((error: unknown) => {
      parts.onTrouble(error, id);
    });
  }
};

const betweenLooksMs = 5_000;

/** Looks again and again, beside the worker and never in its way, outliving a database that is away. @returns the stop */
export const notifyRegularly = (parts: NotifyParts): (() => Promise<void>) =>
  takeTurns(betweenLooksMs, async (stopped) => {
    await notifyOnce(parts, stopped).catch((error: unknown) => {
      parts.onTrouble(error, null);
    });
    return betweenLooksMs;
  });
