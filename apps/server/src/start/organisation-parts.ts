import type { RouteParts } from '../http/routes/all-routes.ts';
import { keyStore } from '../sign-in/key-store.ts';
import { peopleStore } from '../sign-in/people-store.ts';
import type { OpenServer } from './run-server.ts';

/** What the routes about an organisation's people and keys work with. */
export const organisationParts = ({
  store,
  people,
  mail,
  settings,
  streams,
  accountOf,
}: Pick<OpenServer, 'store' | 'people' | 'mail' | 'settings' | 'streams' | 'accountOf'>): Pick<
  RouteParts,
  'me' | 'people' | 'accept' | 'keys' | 'providerAccount'
> => {
  const { publicOrigin } = settings;
  const inPeople = peopleStore(store.inOrganisation);
  const rightsChanged = streams.recheck;
  const { organisationName } = store;
  return {
    me: { store, people, rightsChanged },
    people: { store: inPeople, organisationName, mail, publicOrigin, nowMs: Date.now, rightsChanged },
    accept: { access: store, store: inPeople, people, publicOrigin },
    providerAccount: { accountOf },
    keys: { store: keyStore(store.inOrganisation), nowMs: Date.now, rightsChanged },
  };
};
