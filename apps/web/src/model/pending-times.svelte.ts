import { pendingTimesSchema, type Operation, type PendingTime, type PendingTimes } from '@holdfast/operation';
import type { Server } from './server.ts';

/** What is usual, asked once a screen and only where something is pending. Not heard: nothing is said of it. */
export const usualPendingTimes = (
  server: Server,
  isWanted: () => boolean,
): { readonly of: (operation: Operation) => PendingTime | null } => {
  let times = $state.raw<PendingTimes | null>(null);
  let asked = false;
  $effect(() => {
    if (asked || !isWanted()) return;
    asked = true;
    void server
      .asked('/v1/pending-times', (body) => pendingTimesSchema.parse(body))
      .then((answer) => {
        if (answer.kind === 'answer') times = answer.value;
      });
  });
  return {
    of: ({ provider }) => times?.items.find((item) => item.provider === provider.name) ?? null,
  };
};
