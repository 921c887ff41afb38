import { rateLimiter } from '../http/rate-limit.ts';
import type { SecurityParts } from '../http/routes/security-parts.ts';
import { lettersInTurn } from '../mail/letters-in-turn.ts';
import { ceremoniesAt } from '../sign-in/ceremonies.ts';
import { challengesWith } from '../sign-in/challenge.ts';
import { passkeyActsIn } from '../sign-in/passkey-acts.ts';
import { passkeyHome } from '../sign-in/passkey-home.ts';
import { tellActs } from '../sign-in/security-acts.ts';
import { loggableError } from './log.ts';
import type { OpenServer } from './run-server.ts';

const triesPerMinute = 20;
const lettersPerHour = 3;
const hourMs = 3_600_000;

/** What the routes about passkeys, sessions and passwords work with. */
export const securityOf = (opened: OpenServer): SecurityParts => {
  const { settings, log, store, people, mail, made, streams, sharedKey } = opened;
  const home = passkeyHome(settings.publicOrigin);
  const { passkeys, inOrganisation } = made;
  return {
    home,
    ceremonies: home.possible
      ? ceremoniesAt({
          home,
          challenges: challengesWith(sharedKey, Date.now),
          passkeys,
          now: () => new Date(),
        })
      : undefined,
    passkeys,
    acts: passkeyActsIn(inOrganisation),
    tell: tellActs(inOrganisation),
    people,
    membershipsOf: store.membershipsOf,
    letters: lettersInTurn({
      mail,
      onFailure: (error) => {
        log.error({ error: loggableError(error) }, 'a letter was not sent');
      },
    }),
    mailWay: mail.way,
    tries: rateLimiter(triesPerMinute, Date.now),
    letterLimit: rateLimiter(lettersPerHour, Date.now, hourMs),
    sessionsEnded: streams.recheck,
  };
};
