import type { RouteParts } from '../http/routes/all-routes.ts';
import { keyStore } from '../sign-in/key-store.ts';
import { lettersInTurn } from '../mail/letters-in-turn.ts';
import { peopleStore } from '../sign-in/people-store.ts';
import { recoveryStore } from '../sign-in/recovery-store.ts';
import { loggableError } from './log.ts';
import type { OpenServer } from './run-server.ts';

/** What the routes about an organisation's people and keys work with. */
export const organisationParts = ({
  store,
  people,
  mail,
  settings,
  streams,
  accountOf,
  log,
}: Pick<OpenServer, 'store' | 'people' | 'mail' | 'settings' | 'streams' | 'accountOf' | 'log'>): Pick<
  RouteParts,
  'me' | 'people' | 'recovery' | 'accept' | 'keys' | 'providerAccount'
> => {
  const { publicOrigin } = settings;
  const inPeople = peopleStore(store.inOrganisation);
  const rightsChanged = streams.recheck;
  const { organisationName } = store;
  const recoveries = recoveryStore(store.inOrganisation);
  const letters = lettersInTurn({
    mail,
    onFailure: (error) => {
      log.error({ error: loggableError(error) }, 'a letter was not sent');
    },
  });
  return {
    me: { store, people, rightsChanged },
    people: {
      store: inPeople,
      recoveries,
      organisationName,
      mail,
      publicOrigin,
      nowMs: Date.now,
      rightsChanged,
    },
    recovery: {
      store: recoveries,
      recordAct: store.recordAct,
      sessions: people.sessions,
      ...{ mail, letters, publicOrigin, rightsChanged },
    },
    accept: { access: store, store: inPeople, people },
    providerAccount: { accountOf },
    keys: { store: keyStore(store.inOrganisation), nowMs: Date.now, rightsChanged },
  };
};
