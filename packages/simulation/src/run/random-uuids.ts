import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * The shipped adapters take the IDs of their rows from Node itself. For as long as a history runs they come from its
 * seed, so that the same seed is the same history to the last row.
 * @returns puts Node's own back
 */
export const useRandomUuids = (own: () => string): (() => void) => {
  const { randomUUID } = crypto;
  crypto.randomUUID = own as typeof randomUUID;
  syncBuiltinESMExports();
  return () => {
    crypto.randomUUID = randomUUID;
    syncBuiltinESMExports();
  };
};
