import type { CrashPoint } from './crash-points.ts';

/**
 * What `#crash-point` is in every ordinary start: nothing, and no setting changes that. Only a program started with
 * Node's condition `holdfast-crash-test` gets the armed one.
 */
export const crashPoint = (point: CrashPoint): void => {
  // Named here so that both have the same shape; nothing is done with it.
  void point;
};
