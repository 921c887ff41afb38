import { z } from 'zod';
import type { AccessStore } from '../../sign-in/access-store.ts';
import { minimumPasswordLength, type People } from '../../sign-in/people.ts';
import type { OpenInvitation, PeopleStore } from '../../sign-in/people-store.ts';
import { invalidFields, Refusal, refuse, unreadable } from '../problem.ts';
import { json, type OpenRoute } from '../route.ts';
import { hashInvitation } from './people-routes.ts';

export type AcceptParts = {
  readonly access: Pick<AccessStore, 'invitationByToken'>;
  readonly store: Pick<PeopleStore, 'openInvitation' | 'acceptInvitation'>;
  readonly people: Pick<People, 'personByEmail' | 'makePerson' | 'sessionOf' | 'chooseOrganisation'>;
};

const tokenSchema = z.string().min(1).max(200);
const lookSchema = z.object({ token: tokenSchema });
const acceptSchema = z.object({ token: tokenSchema, password: z.string().max(200).optional() });
const toldSchema = z.object({
  organisation: z.string(),
  role: z.string(),
  name: z.string(),
  email: z.string(),
  invitedBy: z.string(),
  /** What accepting needs: a password chosen now, or the sign-in of the person who has this address already. */
  needs: z.enum(['password', 'sign-in', 'nothing']),
});

const read = <Body>(schema: z.ZodType<Body>, body: Uint8Array): Body => {
  let raw: unknown;
  try {
    raw = JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw unreadable('The body is not JSON.');
  }
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw new Refusal(invalidFields(issues));
};

const gone = (): Refusal =>
  new Refusal(
    invalidFields([
      { path: 'token', message: 'is not valid: it was used, withdrawn, replaced, or has run out' },
    ]),
  );

type Found = { readonly organisationId: string; readonly id: string; readonly invitation: OpenInvitation };

const find = async ({ access, store }: AcceptParts, token: string): Promise<Found> => {
  const known = await access.invitationByToken(hashInvitation(token));
  const invitation = known && (await store.openInvitation(known.organisationId, known.id));
  if (known === undefined || invitation === undefined) throw gone();
  return { ...known, invitation };
};

/**
 * Who accepts. A link proves only that somebody was given it: where the address has a person already, that person has to
 * be signed in, and their password stays as it is. Otherwise an admin of one organisation could come into another by
 * inviting its people and using the link themselves.
 */
const accepter = async (
  { people }: AcceptParts,
  request: Request,
  { email, name }: OpenInvitation,
  password: string | undefined,
) => {
  const known = await people.personByEmail(email);
  if (known !== undefined) {
    const session = await people.sessionOf(request.headers);
    if (session?.userId === known) return { userId: known, session };
    throw refuse('unauthenticated', `Sign in as ${email} to accept this invitation.`);
  }
  if (password === undefined || password.length < minimumPasswordLength) {
    const message = `must have at least ${String(minimumPasswordLength)} characters`;
    throw new Refusal(invalidFields([{ path: 'password', message }]));
  }
  const userId = await people.makePerson(email, name, password);
  if (userId === undefined) throw refuse('unauthenticated', `Sign in as ${email} to accept this invitation.`);
  return { userId, session: undefined };
};

const described = { needs: 'nobody' as const, maximumBytes: 16 * 1024, place: 'sign-in' as const };

export const acceptInvitationRoutes = (parts: AcceptParts): OpenRoute[] => [
  {
    ...described,
    method: 'post',
    path: '/v1/invitation',
    summary: 'What an invitation is to, for whoever holds its link.',
    body: lookSchema,
    answers: { 200: { description: 'The invitation', schema: toldSchema } },
    handle: async (request, body) => {
      const { invitation } = await find(parts, read(lookSchema, body).token);
      const known = await parts.people.personByEmail(invitation.email);
      const session = known === undefined ? undefined : await parts.people.sessionOf(request.headers);
      const { organisationName, role, name, email, invitedByName } = invitation;
      const isHere = session !== undefined && session.userId === known;
      const needs = known === undefined ? 'password' : isHere ? 'nothing' : 'sign-in';
      return json(200, {
        organisation: organisationName,
        role,
        name,
        email,
        invitedBy: invitedByName,
        needs,
      });
    },
  },
  {
    ...described,
    method: 'post',
    path: '/v1/invitation/accept',
    summary:
      'Accept an invitation, once: with a password chosen now, or signed in as who has the address already.',
    body: acceptSchema,
    answers: { 200: { description: 'Accepted', schema: z.object({ done: z.literal(true) }) } },
    handle: async (request, body) => {
      const { token, password } = read(acceptSchema, body);
      const { organisationId, id, invitation } = await find(parts, token);
      const { userId, session } = await accepter(parts, request, invitation, password);
      const used = { id, tokenHash: hashInvitation(token), userId };
      if (!(await parts.store.acceptInvitation(organisationId, used))) throw gone();
      if (session !== undefined) await parts.people.chooseOrganisation(session, organisationId);
      return json(200, { done: true });
    },
  },
];
