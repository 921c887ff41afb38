import type { LiveQuery, LiveRead, LiveValue } from '@holdfast/outbox';
import { untrack } from 'svelte';
import { useHoldfast } from './holdfast-context.ts';

export type Live<Value> = { readonly read: LiveRead<Value> };

type Options = {
  /** Keep the last answer while the next question is being answered (search as you type). */
  readonly keepWhileAsking?: boolean;
};

/**
 * Follows one question to the outbox for as long as the component lives. `question` may depend on state; `null` asks
 * nothing. Always one of loading, ready, missing, failed: a row that does not exist is never "loading" for ever.
 */
export const live = <Query extends LiveQuery>(
  question: () => Query | null,
  options: Options = {},
): Live<LiveValue<Query>> => {
  const { outbox } = useHoldfast();
  let read = $state.raw<LiveRead<LiveValue<Query>>>({ state: 'loading' });
  // Compared as text, so that a question built anew with the same content is not asked again.
  const asked = $derived(JSON.stringify(question()));

  $effect(() => {
    const query = JSON.parse(asked) as Query | null;
    if (query === null) return undefined;
    // The first answer may come at once, within this effect: reading `read` there must not make it run again.
    return untrack(() =>
      outbox.watch(query, (next) => {
        if (options.keepWhileAsking === true && next.state === 'loading' && read.state === 'ready') return;
        read = next;
      }),
    );
  });

  return {
    get read() {
      return read;
    },
  };
};

/** The answer, or `fallback` while there is none. For counts and lists where absence and emptiness look the same. */
export const valueOr = <Value, Fallback>(read: LiveRead<Value>, fallback: Fallback): Value | Fallback =>
  read.state === 'ready' ? read.value : fallback;
