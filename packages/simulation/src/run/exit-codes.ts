import type { ViolationKind } from '../world/violation.ts';

/** What the command ends with, so that programs can tell what was found without reading. */
export const exitCodes: Readonly<Record<ViolationKind | 'clean' | 'usage' | 'missed', number>> = {
  clean: 0,
  missed: 1,
  usage: 2,
  safety: 10,
  liveness: 11,
  crash: 12,
};
