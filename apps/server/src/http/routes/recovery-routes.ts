import { z } from 'zod';
import type { LettersInTurn } from '../../mail/letters-in-turn.ts';
import type { Mail } from '../../mail/mail.ts';
import {
  recoveryLetters,
  recoveryLinkLetter,
  sessionsEndedLetter,
  type RecoveryNews,
} from '../../mail/recovery-letters.ts';
import type { AccessStore } from '../../sign-in/access-store.ts';
import type { People } from '../../sign-in/people.ts';
import type { AgreeVerdict, StartVerdict, WithdrawVerdict } from '../../sign-in/recovery-decision.ts';
import type { Recovery, RecoveryStore, Told } from '../../sign-in/recovery-store.ts';
import { deviceOf } from '../../sign-in/security-acts.ts';
import { refuse, type Refusal } from '../problem.ts';
import { guarded, json, type Call, type GuardedRoute } from '../route.ts';

export type RecoveryParts = {
  readonly store: RecoveryStore;
  readonly recordAct: AccessStore['recordAct'];
  readonly sessions: Pick<People['sessions'], 'endAll'>;
  readonly mail: Pick<Mail, 'way' | 'send'>;
  /** Letters that nobody waits for. */
  readonly letters: LettersInTurn;
  readonly publicOrigin: string;
  /** Open streams look at once whether their reader may still read. */
  readonly rightsChanged: () => void;
};

export const recoverySchema = z.object({
  id: z.string(),
  personId: z.string(),
  reason: z.string(),
  startedBy: z.string(),
  startedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});

export const shownRecovery = ({ id, person, reason, startedBy, startedAt, expiresAt }: Recovery) => ({
  id,
  personId: person,
  reason,
  startedBy,
  startedAt: startedAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});

const refusalOf = (verdict: Exclude<StartVerdict | AgreeVerdict | WithdrawVerdict, 'go'>): Refusal => {
  switch (verdict) {
    case 'no-admin-any-more':
      return refuse('forbidden', 'Your own role was changed meanwhile: only an admin recovers sign-ins.');
    case 'not-found':
      return refuse('not-found', 'There is no such person or recovery in this organisation.', {
        final: true,
      });
    case 'own-sign-in':
      return refuse('forbidden', 'Nobody recovers their own sign-in. Two other admins can.');
    case 'same-admin':
      return refuse('forbidden', 'You asked for this recovery yourself: another admin has to agree.');
    case 'member-elsewhere':
      return refuse(
        'forbidden',
        'This person also belongs to another organisation, whose admins did not agree: a recovery would open that one, too. Nothing was changed. Whoever runs this installation can help.',
      );
    case 'nobody-could-agree':
      return refuse(
        'forbidden',
        'It takes a second admin besides you and this person, and there is none. Make somebody admin first.',
      );
    case 'starter-is-no-admin':
      return refuse(
        'stale',
        'Who asked for this is no admin any more. Withdraw it and ask anew. Nothing was changed.',
      );
    case 'person-left':
      return refuse('stale', 'This person does not belong here any more. Nothing was changed.');
    case 'waits-already':
      return refuse('stale', 'A recovery of this person waits already: agree to it or withdraw it.');
    case 'agreed':
      return refuse('stale', 'A second admin agreed to this recovery already. It is done.');
    case 'withdrawn':
      return refuse('stale', 'This recovery was withdrawn. Nothing was changed.');
    case 'expired':
      return refuse('stale', 'This recovery ran out after 7 days. Ask for it anew. Nothing was changed.');
    case 'nothing-to-do':
      return refuse('stale', 'This recovery had ended already. Nothing was changed.');
  }
};

type Asking = Pick<Call<unknown, unknown>, 'who' | 'identity' | 'request'>;

const askedBy = ({ who, identity, request }: Asking) => ({
  by: who.actor.id,
  device: deviceOf(request.headers),
  sessionId: identity.session?.sessionId ?? '',
});

const announce = ({ letters, publicOrigin }: RecoveryParts, news: RecoveryNews, told: Told, by: string) => {
  letters.later(() => Promise.resolve(recoveryLetters(news, { ...told, by }, publicOrigin)));
};

const reasonSchema = z
  .string()
  .trim()
  .min(1, 'say why')
  .max(300, 'must have at most 300 characters')
  // It stands in letters and lists: no line of its own, no hidden direction.
  .regex(/^[^\p{Cc}\u202a-\u202e\u2066-\u2069]*$/u, 'must be plain text in one line');

const described = {
  method: 'post',
  needs: ['admin'],
  peopleOnly: true,
  pathId: 'outside',
} as const;

const start = (parts: RecoveryParts): GuardedRoute =>
  guarded({
    ...described,
    path: '/v1/people/{id}/recovery',
    summary:
      'Ask for somebody’s sign-in to be recovered. Nothing changes before a second admin agrees; the person and all admins are told.',
    body: z.object({ reason: reasonSchema }),
    answers: { 201: { description: 'The recovery that waits', schema: recoverySchema } },
    handle: async ({ id, body: { reason }, ...call }) => {
      const asked = { ...askedBy(call), person: id, reason };
      const outcome = await parts.store.start(call.who.organisationId, asked);
      if ('refused' in outcome) throw refusalOf(outcome.refused);
      announce(parts, 'asked', outcome.started, call.who.actor.name);
      return json(201, shownRecovery(outcome.started.recovery));
    },
  });

/** `link` is told once, and only where no letter carries it. */
const agreedSchema = z.object({
  personId: z.string(),
  mailed: z.boolean(),
  link: z.string().nullable(),
  linkUntil: z.iso.datetime(),
});

const agree = (parts: RecoveryParts): GuardedRoute =>
  guarded({
    ...described,
    path: '/v1/recoveries/{id}/agree',
    summary:
      'Agree, as the second admin: all passkeys of the person are revoked, the password counts no more, every session ends, and a link to begin anew is mailed, or told here once.',
    answers: { 200: { description: 'Done', schema: agreedSchema } },
    handle: async ({ id, ...call }) => {
      const outcome = await parts.store.agree(call.who.organisationId, { ...askedBy(call), id });
      if ('refused' in outcome) throw refusalOf(outcome.refused);
      const { agreed, token, until } = outcome;
      parts.rightsChanged();
      announce(parts, 'agreed', agreed, call.who.actor.name);
      const link = `${parts.publicOrigin}/set-password?token=${encodeURIComponent(token)}`;
      const mailed = await parts.mail.send(recoveryLinkLetter(agreed.person.email, link)).then(
        () => parts.mail.way === 'smtp',
        () => false,
      );
      return json(200, {
        personId: agreed.recovery.person,
        mailed,
        link: mailed ? null : link,
        linkUntil: until.toISOString(),
      });
    },
  });

const withdraw = (parts: RecoveryParts): GuardedRoute =>
  guarded({
    ...described,
    path: '/v1/recoveries/{id}/withdraw',
    summary: 'Withdraw a recovery that waits. Any admin may, also the one whose sign-in it is.',
    answers: { 200: { description: 'Withdrawn, also when it had ended without effect before' } },
    handle: async ({ id, ...call }) => {
      const outcome = await parts.store.withdraw(call.who.organisationId, { ...askedBy(call), id });
      if ('refused' in outcome) {
        if (outcome.refused === 'nothing-to-do') return json(200, { done: true });
        throw refusalOf(outcome.refused);
      }
      announce(parts, 'withdrawn', outcome.withdrawn, call.who.actor.name);
      return json(200, { done: true });
    },
  });

const endSessions = (parts: RecoveryParts): GuardedRoute =>
  guarded({
    ...described,
    path: '/v1/people/{id}/sessions/end',
    summary: 'End every session of somebody, wherever it is, open feeds at once. They can sign in again.',
    answers: { 200: { description: '{ended}: how many', schema: z.object({ ended: z.number() }) } },
    handle: async ({ id, ...call }) => {
      const { organisationId, actor } = call.who;
      const member = await parts.store.memberOf(organisationId, id);
      if (member === undefined) throw refusalOf('not-found');
      if (id === actor.id) {
        throw refuse('forbidden', 'These are your own sessions: end them under You, Security.');
      }
      const ended = await parts.sessions.endAll(id);
      parts.rightsChanged();
      const { by, device, sessionId } = askedBy(call);
      const data = { ended, device, session: sessionId };
      await parts.recordAct(organisationId, { type: 'sessions-revoked', by, subject: `person ${id}`, data });
      if (ended > 0) {
        parts.letters.later(() => Promise.resolve([sessionsEndedLetter(member.email, actor.name)]));
      }
      return json(200, { ended });
    },
  });

/** Tells that a recovered person has a password again. For whoever lets people set one. */
export const recoveryUsed =
  (parts: Pick<RecoveryParts, 'store' | 'letters' | 'publicOrigin'>) =>
  async (organisationId: string, userId: string, device: string): Promise<void> => {
    const used = await parts.store.noteUsed(organisationId, userId, device);
    if (used === undefined) return;
    const told = { ...used, by: used.person.name };
    parts.letters.later(() => Promise.resolve(recoveryLetters('used', told, parts.publicOrigin)));
  };

export const recoveryRoutes = (parts: RecoveryParts): GuardedRoute[] => [
  start(parts),
  agree(parts),
  withdraw(parts),
  endSessions(parts),
];
