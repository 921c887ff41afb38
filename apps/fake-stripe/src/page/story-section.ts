import { html } from 'hono/html';
import type { Fault } from '../faults/fault.ts';
import type { ArmedFault } from '../ledger/records.ts';
import type { Markup } from './markup.ts';

/**
 * The README's story: the money moves and nobody hears of it. Two repetitions under the same key are lost as well,
 * webhooks are held, and for a while listings do not show the refund, so that only a later look finds it.
 */
export const storyFaults: readonly Fault[] = [
  { do: 'execute_then_drop', on: 'refund.create', times: 3, every: 1, paymentIntent: null },
  { do: 'hide_from_list', on: 'refund.create', times: 1, every: 1, paymentIntent: null, ms: 20_000 },
  { do: 'hold', on: 'webhook', times: null, every: 1, paymentIntent: null },
];

export function storyForm(armed: readonly ArmedFault[]): Markup {
  const ready = storyFaults.every((wanted) =>
    armed.some(({ fault, hits }) => fault.do === wanted.do && fault.on === wanted.on && hits === 0),
  );
  return html`<form method="post" action="/fake/page/faults/story" class="story">
    <button id="story">The story: lose the answer</button>
    <p class="quiet">
      The next refund is made, its answer is lost, its webhooks are held and lists do not show it for 20
      seconds.
    </p>
    <p class="live" data-live="story">${ready ? 'Ready: approve a refund now.' : ''}</p>
  </form>`;
}
