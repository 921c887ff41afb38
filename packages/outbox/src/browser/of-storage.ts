import { Dexie } from 'dexie';
import { NewerElsewhere } from '../queue/queue-store.ts';
import { StorageBlocked } from './tab-queue-store.ts';

type Caused = { readonly name?: unknown; readonly inner?: unknown; readonly failures?: unknown };

/** A row was added where one lies: two steps of ours believed to be the only one. */
const isPlaceTaken = (error: unknown): boolean => {
  if (typeof error !== 'object' || error === null) return false;
  const { name, inner, failures } = error as Caused;
  if (name === 'ConstraintError' || isPlaceTaken(inner)) return true;
  return Array.isArray(failures) && failures.some(isPlaceTaken);
};

/**
 * Whether this device's storage is what failed. Anything else that a step threw is a promise of our own that was
 * broken: to call that "cannot store anything" would send people to clear their disks for a bug of ours.
 */
export const isOfStorage = (error: unknown): boolean => {
  if (error instanceof NewerElsewhere || error instanceof StorageBlocked) return true;
  if (!(error instanceof Dexie.DexieError || error instanceof DOMException)) return false;
  return !isPlaceTaken(error);
};
