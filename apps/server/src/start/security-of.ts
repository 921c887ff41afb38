import { rateLimiter } from '../http/rate-limit.ts';
import type { SecurityParts } from '../http/routes/security-parts.ts';
import { lettersInTurn } from '../mail/letters-in-turn.ts';
import { ceremoniesAt } from '../sign-in/ceremonies.ts';
import { challengesWith } from '../sign-in/challenge.ts';
import { passkeyActsIn } from '../sign-in/passkey-acts.ts';
import { passkeyHome } from '../sign-in/passkey-home.ts';
import { recoveryUsed } from '../http/routes/recovery-routes.ts';
import { recoveryStore } from '../sign-in/recovery-store.ts';
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
  const letters = lettersInTurn({
    mail,
    onFailure: (error) => {
      log.error({ error: loggableError(error) }, 'a letter was not sent');
    },
  });
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
    recoveryUsed: recoveryUsed({
      store: recoveryStore(store.inOrganisation),
      letters,
      publicOrigin: settings.publicOrigin,
    }),
    people,
    membershipsOf: store.membershipsOf,
    letters,
    mailWay: mail.way,
    tries: rateLimiter(triesPerMinute, Date.now),
    letterLimit: rateLimiter(lettersPerHour, Date.now, hourMs),
    sessionsEnded: streams.recheck,
  };
};
