import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { roles } from '@holdfast/operation';
import { z } from 'zod';
import type { Mail } from '../../mail/mail.ts';
import { peoplesRoles, type MemberAct, type MemberVerdict } from '../../sign-in/member-decision.ts';
import type { Invitation, Member, PeopleStore } from '../../sign-in/people-store.ts';
import { invalidFields, Refusal, refuse } from '../problem.ts';
import { recoverySchema, shownRecovery } from './recovery-routes.ts';
import type { RecoveryStore } from '../../sign-in/recovery-store.ts';
import { guarded, json, type Call, type GuardedRoute } from '../route.ts';

export type PeopleParts = {
  readonly store: PeopleStore;
  readonly recoveries: Pick<RecoveryStore, 'waiting'>;
  readonly organisationName: (organisationId: string) => Promise<string>;
  readonly mail: Pick<Mail, 'way' | 'send'>;
  readonly publicOrigin: string;
  readonly nowMs: () => number;
  /** Open streams look at once whether their reader may still read. */
  readonly rightsChanged: () => void;
};

const dayMs = 86_400_000;
const invitationDays = 7;

export const hashInvitation = (token: string): string =>
  createHash('sha256').update(`invitation ${token}`).digest('hex');

const memberSchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role: z.enum(roles),
  joinedAt: z.iso.datetime(),
  removedAt: z.iso.datetime().nullable(),
});
const invitationSchema = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(peoplesRoles),
  invitedBy: z.string(),
  sentAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});
const listSchema = z.object({
  people: z.array(memberSchema),
  invitations: z.array(invitationSchema),
  recoveries: z.array(recoverySchema),
});
/** `link` is told once, and only where no letter carries it. */
const sentSchema = z.object({
  invitation: invitationSchema,
  mailed: z.boolean(),
  link: z.string().nullable(),
});

const shownMember = ({ userId, joinedAt, removedAt, ...member }: Member) => ({
  id: userId,
  ...member,
  joinedAt: joinedAt.toISOString(),
  removedAt: removedAt?.toISOString() ?? null,
});
const shownInvitation = ({ sentAt, expiresAt, ...invitation }: Invitation) => ({
  ...invitation,
  sentAt: sentAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});

const refusalOf = (verdict: Exclude<MemberVerdict, 'go' | 'nothing-to-do'>): Refusal => {
  switch (verdict) {
    case 'not-found':
      return refuse('not-found', 'There is no such person in this organisation.', { final: true });
    case 'no-admin-any-more':
      return refuse('forbidden', 'Your own role was changed meanwhile: only an admin changes people.');
    case 'own-membership':
      return refuse('forbidden', 'Nobody changes their own role or removes themselves. Another admin can.');
    case 'stale':
      return refuse('stale', 'Somebody changed this role meanwhile. Look at it again. Nothing was changed.');
    case 'last-admin':
      return refuse(
        'forbidden',
        'This is the last admin. Make somebody else admin first. Nothing was changed.',
      );
  }
};

const emailSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(300)
  .regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'must be an e-mail address');
const nameSchema = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(300)
  // Names stand in letters and lists: no line of its own, no hidden direction.
  .regex(/^[^\p{Cc}\u202a-\u202e\u2066-\u2069]*$/u, 'must be plain text in one line');
const roleSchema = z.enum(peoplesRoles);

const change = async (
  { store, rightsChanged }: PeopleParts,
  { who }: Pick<Call<unknown, unknown>, 'who'>,
  about: string,
  act: MemberAct,
): Promise<Response> => {
  const verdict = await store.changeMember(who.organisationId, { by: who.actor.id, about, act });
  if (verdict !== 'go' && verdict !== 'nothing-to-do') throw refusalOf(verdict);
  rightsChanged();
  const members = await store.members(who.organisationId);
  const member = members.find(({ userId }) => userId === about);
  return json(200, member === undefined ? {} : shownMember(member));
};

const personBody = z.object({ personId: z.string().min(1).max(200) });

const memberRoutes = (parts: PeopleParts): GuardedRoute[] => [
  guarded({
    method: 'get',
    path: '/v1/people',
    summary:
      'The people of this organisation, also those who left, and the invitations and recoveries that wait.',
    needs: ['admin'],
    peopleOnly: true,
    answers: { 200: { description: 'People and invitations', schema: listSchema } },
    handle: async ({ who }) => {
      const [people, invitations, recoveries] = await Promise.all([
        parts.store.members(who.organisationId),
        parts.store.invitations(who.organisationId),
        parts.recoveries.waiting(who.organisationId),
      ]);
      return json(200, {
        people: people.map(shownMember),
        invitations: invitations.map(shownInvitation),
        recoveries: recoveries.map(shownRecovery),
      });
    },
  }),
  guarded({
    method: 'post',
    path: '/v1/people/role',
    summary: 'Give somebody another role. It takes effect with their next request; their open feeds end.',
    needs: ['admin'],
    peopleOnly: true,
    body: personBody.extend({ role: roleSchema, was: z.enum(roles) }),
    answers: { 200: { description: 'The person as they are now', schema: memberSchema } },
    handle: ({ who, body: { personId, role, was } }) =>
      change(parts, { who }, personId, { kind: 'change-role', role, was }),
  }),
  guarded({
    method: 'post',
    path: '/v1/people/remove',
    summary:
      'Somebody leaves: they, and the keys they own, may do nothing here any more. What they did stays.',
    needs: ['admin'],
    peopleOnly: true,
    body: personBody,
    answers: { 200: { description: 'The person as they are now', schema: memberSchema } },
    handle: ({ who, body }) => change(parts, { who }, body.personId, { kind: 'remove' }),
  }),
  guarded({
    method: 'post',
    path: '/v1/people/take-back',
    summary: 'Somebody who was removed belongs here again, in the role they had.',
    needs: ['admin'],
    peopleOnly: true,
    body: personBody,
    answers: { 200: { description: 'The person as they are now', schema: memberSchema } },
    handle: ({ who, body }) => change(parts, { who }, body.personId, { kind: 'take-back' }),
  }),
];

/** Mails the link where there is a way out; where there is none, or the letter was not taken, whoever asked hands it on. */
const deliver = async (
  { mail, publicOrigin, organisationName }: PeopleParts,
  who: Call<unknown, unknown>['who'],
  invitation: Invitation,
  token: string,
) => {
  const link = `${publicOrigin}/invitation#${token}`;
  const organisation = await organisationName(who.organisationId);
  const text = [
    `${invitation.name},`,
    '',
    `${who.actor.name} invites you to work with ${organisation} in Holdfast, as ${invitation.role}.`,
    `Open this link within ${String(invitationDays)} days. It works once:`,
    '',
    link,
    '',
    'If you did not expect this letter, you need do nothing.',
  ].join('\n');
  const subject = `Invitation to ${organisation}`.replaceAll(/\s+/g, ' ');
  const mailed = await mail.send({ to: invitation.email, subject, text }).then(
    () => mail.way === 'smtp',
    () => false,
  );
  return { invitation: shownInvitation(invitation), mailed, link: mailed ? null : link };
};

const fresh = (nowMs: number) => {
  const token = randomBytes(24).toString('base64url');
  return {
    token,
    tokenHash: hashInvitation(token),
    expiresAt: new Date(nowMs + invitationDays * dayMs),
  };
};

const noInvitation = (): Refusal =>
  refuse('not-found', 'There is no such invitation any more: it was accepted or withdrawn.', { final: true });

const invitationBody = z.object({ invitationId: z.string().min(1).max(200) });

const invitationRoutes = (parts: PeopleParts): GuardedRoute[] => [
  guarded({
    method: 'post',
    path: '/v1/people/invite',
    summary: 'Invite somebody by mail. Where there is no mail, the link is told here, once.',
    needs: ['admin'],
    peopleOnly: true,
    body: z.object({ email: emailSchema, name: nameSchema, role: roleSchema }),
    answers: { 201: { description: 'The invitation', schema: sentSchema } },
    handle: async ({ who, body }) => {
      const { token, tokenHash, expiresAt } = fresh(parts.nowMs());
      const invitation = { ...body, id: randomUUID(), invitedBy: who.actor.id, expiresAt };
      const outcome = await parts.store.invite(who.organisationId, { ...invitation, tokenHash });
      if (outcome !== 'invited') {
        const message =
          outcome === 'member'
            ? 'belongs to this organisation already'
            : 'is invited already; send that invitation again instead';
        throw new Refusal(invalidFields([{ path: 'email', message }]));
      }
      const sent = { ...invitation, sentAt: new Date(parts.nowMs()) };
      return json(201, await deliver(parts, who, sent, token));
    },
  }),
  guarded({
    method: 'post',
    path: '/v1/people/invite-again',
    summary: 'Send an invitation again, with a new link. The one before works no more.',
    needs: ['admin'],
    peopleOnly: true,
    body: invitationBody,
    answers: { 200: { description: 'The invitation', schema: sentSchema } },
    handle: async ({ who, body: { invitationId } }) => {
      const { token, ...renewed } = fresh(parts.nowMs());
      const change = { ...renewed, id: invitationId, by: who.actor.id };
      const invitation = await parts.store.renewInvitation(who.organisationId, change);
      if (invitation === undefined) throw noInvitation();
      return json(200, await deliver(parts, who, invitation, token));
    },
  }),
  guarded({
    method: 'post',
    path: '/v1/people/withdraw-invitation',
    summary: 'Withdraw an invitation: its link works no more.',
    needs: ['admin'],
    peopleOnly: true,
    body: invitationBody,
    answers: { 200: { description: 'Withdrawn', schema: z.object({ done: z.literal(true) }) } },
    handle: async ({ who, body: { invitationId } }) => {
      const asked = { id: invitationId, by: who.actor.id };
      if (!(await parts.store.withdrawInvitation(who.organisationId, asked))) throw noInvitation();
      return json(200, { done: true });
    },
  }),
];

export const peopleRoutes = (parts: PeopleParts): GuardedRoute[] => [
  ...memberRoutes(parts),
  ...invitationRoutes(parts),
];
