import type { Operation } from '@holdfast/operation';
import { untrack } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import type { LookTimes } from './next-check.ts';
import type { Server } from './server.ts';

/** Often enough that no time of looking shown is over for long, and little beside what else is asked. */
const everyMs = 10_000;
/** One question names so many at most. */
const most = 500;

export type FollowedLooks = {
  readonly of: (operationId: string) => LookTimes | undefined;
  /** What was heard of one in another way. */
  readonly take: (operation: Operation) => void;
};

/** Asks for the times of looking of what is shown: when it comes onto the screen, and again while it is visible. */
export const followLooks = (server: Server, shown: () => readonly string[]): FollowedLooks => {
  const times = new SvelteMap<string, LookTimes>();
  let asking = false;

  const take = ({ id, version, lastCheckAt, nextCheckAt }: Operation): void => {
    times.set(id, { version, lastCheckAt, nextCheckAt });
  };
  const ask = async (ids: readonly string[]): Promise<void> => {
    if (asking || ids.length === 0 || document.visibilityState !== 'visible') return;
    asking = true;
    const answer = await server.lookUp(ids.slice(0, most));
    asking = false;
    if (answer.kind !== 'answer') return;
    for (const operation of answer.value.values()) if (operation !== null) take(operation);
  };

  $effect(() => {
    const ids = shown();
    untrack(() => void ask(ids.filter((id) => !times.has(id))));
  });
  $effect(() => {
    const again = (): void => void ask(untrack(shown));
    const timer = setInterval(again, everyMs);
    document.addEventListener('visibilitychange', again);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', again);
    };
  });
  return { of: (operationId) => times.get(operationId), take };
};
