import type { Operation } from '@holdfast/operation';
import type { StoredOperation } from './operation-view.ts';

/** Who the settlement names as the second of two, where it names one. */
const secondInSettlement = ({ settlement }: Pick<StoredOperation, 'settlement'>): string | null => {
  if (settlement?.kind === 'confirmed') return settlement.settledBy?.secondBy ?? null;
  const isByPeople = settlement?.kind === 'failed' && settlement.cause.kind === 'settled-by-people';
  return isByPeople ? settlement.cause.secondBy : null;
};

/** Older rows of two people hold only the second one's note, beside the first one's name: it is told as the second one's. */
export const resolutionOf = (
  stored: Pick<StoredOperation, 'resolution' | 'settlement'>,
  person: (id: string) => { id: string; name: string },
): Operation['resolution'] => {
  const { resolution } = stored;
  if (resolution === null) return null;
  const { by, outcome, note, waiting, providerReference, at, second } = resolution;
  const older = second === undefined && !waiting ? secondInSettlement(stored) : null;
  const written = older === null ? second : { by: older, note, at };
  return {
    ...{ by: person(by), outcome, note: older === null ? note : '', waiting },
    ...(providerReference == null ? {} : { providerReference }),
    ...(older === null ? { at } : {}),
    ...(written === undefined
      ? {}
      : { second: { by: person(written.by), note: written.note, at: written.at } }),
  };
};
