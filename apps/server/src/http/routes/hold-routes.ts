import {
  holdChangeSchema,
  holdStandingSchema,
  restoreGaps,
  type HoldStanding,
  type RestoreGap,
} from '@holdfast/operation';
import { invalidFields, Refusal } from '../problem.ts';
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

const gaps: Readonly<Record<RestoreGap, (standing: HoldStanding) => string>> = {
  'to-look-up': ({ waits }) =>
    `${String(waits.toLookUp)} that may have been sent ${waits.toLookUp === 1 ? 'was' : 'were'} not looked up since`,
  'not-swept': () => 'no sweep has compared the ledgers since',
};

const why = (missing: 'restoreStepsDone' | 'note', now: HoldStanding): string => {
  if (missing === 'restoreStepsDone') {
    return 'the database was put back: must be true, once devices have been online, a sweep has run, what it found was looked at, and what was revoked is revoked again';
  }
  const open = restoreGaps(now).map((gap) => gaps[gap](now));
  return `must say why it goes on all the same: ${open.join(', and ')}`;
};

/** Of the caller's own organisation. All of them at once are put on hold by the command line alone. */
const set = guarded({
  method: 'post',
  path: '/v1/hold',
  summary:
    'Put submitting on hold, with a reason, or let it go on. What is on hold already keeps who put it there and why. After a restore (`afterRestore`) it goes on only with `restoreStepsDone`, and with a `note` while something that may have been sent was not looked up or no sweep has run since: else 422 `invalid`, which names the field.',
  needs: ['operator'],
  peopleOnly: true,
  body: holdChangeSchema,
  answers: standing,
  handle: async ({ engine, who, body }) => {
    const { organisationId, actor } = who;
    if (!body.on) {
      const { missing, standing: now } = await engine.hold.lift(organisationId, actor.id, body);
      if (missing !== null) throw new Refusal(invalidFields([{ path: missing, message: why(missing, now) }]));
      return json(200, now);
    }
    await engine.hold.set(organisationId, true, actor.id, body.reason);
    return json(200, await engine.hold.standing(organisationId));
  },
});

export const holdRoutes: readonly GuardedRoute[] = [get, set];
