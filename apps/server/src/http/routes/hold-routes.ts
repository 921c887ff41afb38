import { holdChangeSchema, holdStandingSchema } from '@holdfast/operation';
import { guarded, json, type GuardedRoute } from '../route.ts';

const standing = {
  200: { description: 'Whether it is on, who, why, since when, and what waits', schema: holdStandingSchema },
};

const get = guarded({
  method: 'get',
  path: '/v1/hold',
  summary: 'Whether submitting is on hold, who put it there, why and since when.',
  needs: 'any',
  answers: standing,
  handle: async ({ engine, who }) => json(200, await engine.hold.standing(who.organisationId)),
});

/** Of the caller's own organisation. All of them at once are put on hold by the command line alone. */
const set = guarded({
  method: 'post',
  path: '/v1/hold',
  summary:
    'Put submitting on hold, with a reason, or let it go on. What is on hold already keeps who put it there and why.',
  needs: ['operator'],
  peopleOnly: true,
  body: holdChangeSchema,
  answers: standing,
  handle: async ({ engine, who, body }) => {
    await engine.hold.set(who.organisationId, body.on, who.actor.id, body.on ? body.reason : null);
    return json(200, await engine.hold.standing(who.organisationId));
  },
});

export const holdRoutes: readonly GuardedRoute[] = [get, set];
