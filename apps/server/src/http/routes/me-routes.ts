import { z } from 'zod';
import type { AccessStore, Membership } from '../../sign-in/access-store.ts';
import type { Identity } from '../../sign-in/identify.ts';
import type { People } from '../../sign-in/people.ts';
import { invalidFields, Refusal, refuse } from '../problem.ts';
import { guarded, json, type GuardedRoute } from '../route.ts';

export type MeParts = {
  readonly store: Pick<AccessStore, 'organisationName' | 'membershipsOf'>;
  readonly people: Pick<People, 'chooseOrganisation'>;
  /** Streams that were opened for the organisation before must end. */
  readonly rightsChanged: () => void;
};

const organisationSchema = z.object({ id: z.string(), name: z.string() });

const meSchema = z.object({
  subject: z.string(),
  name: z.string(),
  role: z.string(),
  assistant: z.boolean(),
  organisation: organisationSchema,
  /** All that this person belongs to, joined first first; a key belongs to one. */
  organisations: z.array(organisationSchema.extend({ role: z.string(), subject: z.string() })),
  via: z.string(),
});

const shown = ({ organisationId, organisationName, role, subject }: Membership) => ({
  id: organisationId,
  name: organisationName,
  role,
  subject,
});

const meOf = async (store: MeParts['store'], { principal, subject, session }: Identity) => {
  const { actor, organisationId } = principal;
  const memberships = session === undefined ? [] : await store.membershipsOf(session.userId);
  const here = memberships.find((one) => one.organisationId === organisationId);
  const name = here?.organisationName ?? (await store.organisationName(organisationId));
  const organisations =
    here === undefined ? [{ id: organisationId, name, role: actor.role, subject }] : memberships.map(shown);
  return {
    subject,
    name: actor.name,
    role: actor.role,
    assistant: actor.assistant,
    organisation: { id: organisationId, name },
    organisations,
    via: actor.via,
  };
};

const chosenSchema = z.object({ organisationId: z.string().min(1).max(200) });

const notYours = (): Refusal =>
  new Refusal(invalidFields([{ path: 'organisationId', message: 'is none that you belong to' }]));

export const meRoutes = ({ store, people, rightsChanged }: MeParts): GuardedRoute[] => [
  guarded({
    method: 'get',
    path: '/v1/me',
    summary: 'Who you are here, and the organisations you belong to.',
    needs: 'any',
    answers: { 200: { description: 'The signed-in person or key', schema: meSchema } },
    handle: async ({ identity }) => json(200, await meOf(store, identity)),
  }),
  guarded({
    method: 'post',
    path: '/v1/me/organisation',
    summary: 'Switch this session to another organisation of yours. Feeds opened before it end.',
    needs: 'any',
    peopleOnly: true,
    body: chosenSchema,
    answers: { 200: { description: 'Who you are there', schema: meSchema } },
    handle: async ({ identity, body: { organisationId } }) => {
      const { session } = identity;
      if (session === undefined) throw refuse('forbidden', 'A key belongs to one organisation.');
      const memberships = await store.membershipsOf(session.userId);
      const chosen = memberships.find((one) => one.organisationId === organisationId);
      if (chosen === undefined) throw notYours();
      await people.chooseOrganisation(session, organisationId);
      rightsChanged();
      const { role, name, subject } = chosen;
      const actor = { ...identity.principal.actor, role, name };
      return json(
        200,
        await meOf(store, { ...identity, subject, principal: { organisationId, actor, subject } }),
      );
    },
  }),
];
