import type { MachineFacts } from './facts/machine-facts.ts';
import type { ServerProfile } from './profile/profile-server.ts';
import type { Line } from './table.ts';

/** What one part of the bench has to tell. */
export type Measured = {
  readonly lines: readonly Line[];
  readonly profiles?: readonly ServerProfile[];
  /** Sentences for people, below everything else. */
  readonly notes?: readonly string[];
  readonly facts?: MachineFacts;
};
