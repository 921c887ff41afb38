import type { Engine } from '../engine-interface.ts';
import { liftHold, readHoldStanding } from './hold-standing.ts';
import { readHold, setHold } from './organisation-store.ts';
import type { Runtime } from './runtime.ts';

/** The hold of each organisation. What waited for one that ends is due at once. */
export const createHoldDesk = ({
  inOrganisation,
  wakes,
}: Pick<Runtime, 'inOrganisation' | 'wakes'>): Engine['hold'] => {
  const woken = async <Answer>(organisationId: string, work: Promise<Answer>): Promise<Answer> => {
    const answer = await work;
    wakes.written(organisationId);
    return answer;
  };
  return {
    get: (organisationId) => inOrganisation(organisationId, readHold),
    standing: (organisationId) => inOrganisation(organisationId, readHoldStanding),
    set: (organisationId, on, by, reason) =>
      woken(
        organisationId,
        inOrganisation(organisationId, (tx) => setHold(tx, on, by, on ? reason : null)),
      ),
    lift: (organisationId, by, lift) =>
      woken(
        organisationId,
        inOrganisation(organisationId, (tx) => liftHold(tx, by, lift)),
      ),
  };
};
