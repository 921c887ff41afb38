import type { Operation } from '@holdfast/operation';
import { cameOfLook, shownByLook, type AskedOf, type CameOfLook, type ShownByLook } from './came-of-look.ts';
import type { Server } from './server.ts';

const betweenMs = 1_000;

export type Heard =
  | Exclude<CameOfLook, { kind: 'looked' }>
  | { readonly kind: 'looked'; readonly at: string; readonly shows: ShownByLook };

type Told = {
  readonly heard: (operationId: string, what: Heard) => void;
  /** Each operation that was read on the way. */
  readonly read: (operation: Operation) => void;
  readonly isGone: () => boolean;
};

const shownOf = async (server: Server, operationId: string): Promise<ShownByLook> => {
  const answer = await server.operation(operationId);
  return answer.kind === 'answer' ? shownByLook(answer.value) : 'nothing-new';
};

/** After the provider was asked: reads the operations again until each was heard of, for a bounded time. */
export const hearOfLooks = async (server: Server, asked: readonly AskedOf[], told: Told): Promise<void> => {
  const startedMs = Date.now();
  let open = asked;
  while (open.length > 0 && !told.isGone()) {
    await new Promise((resolve) => setTimeout(resolve, betweenMs));
    const answer = await server.lookUp(open.map(({ id }) => id));
    const waitedMs = Date.now() - startedMs;
    const still: AskedOf[] = [];
    for (const one of open) {
      const now = answer.kind === 'answer' ? (answer.value.get(one.id) ?? null) : null;
      if (now !== null) told.read(now);
      const came = cameOfLook(one, now, waitedMs);
      if (came.kind === 'waiting') still.push(one);
      else if (came.kind !== 'looked') told.heard(one.id, came);
      else told.heard(one.id, { ...came, shows: await shownOf(server, one.id) });
    }
    open = still;
  }
};
