import { html } from 'hono/html';
import { faultsSection } from './faults-section.ts';
import { ledgerSection } from './ledger-section.ts';
import { requestsSection, webhooksSection } from './webhooks-section.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type Markup, time } from './markup.ts';

export function layout(ledger: Ledger, nowMs: number): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Fake Stripe</title>
        <link rel="stylesheet" href="/fake/page/style.css" />
        <link rel="icon" href="data:," />
        <script src="/fake/page/refresh.js" defer></script>
      </head>
      <body>
        <header>
          <h1>Fake Stripe</h1>
          <p>
            A payment provider that misbehaves on demand. No money is real. Times are UTC, by the clock below.
          </p>
          <p id="said" role="status"></p>
        </header>
        <main>
          ${clockSection(ledger.clockOffsetMs, nowMs)} ${faultsSection([...ledger.faults.values()])}
          ${ledgerSection(ledger)} ${webhooksSection(ledger)}
          ${requestsSection([...ledger.requests.values()], ledger.requestCount)}
        </main>
      </body>
    </html>`;
}

const steps = [
  ['1 minute', 60_000],
  ['1 hour', 3_600_000],
  ['25 hours', 90_000_000],
  ['20 days', 1_728_000_000],
] as const;

function clockSection(offsetMs: number, nowMs: number): Markup {
  const hours = (offsetMs / 3_600_000).toFixed(2);
  const moved = offsetMs === 0 ? 'the machine’s own time' : `${hours} hours from the machine’s own time`;
  return html`<section aria-labelledby="clock-title">
    <h2 id="clock-title">Clock</h2>
    <p data-live="clock"><strong class="figure">${time(nowMs)}</strong> ${moved}</p>
    <p class="quiet">Keys are forgotten 24 hours after they were first heard of, by this clock.</p>
    <form method="post" action="/fake/page/clock" class="row">
      ${steps.map(
        ([label, ms]) =>
          html`<button id="forward-${ms}" name="advanceMs" value="${ms}">Forward ${label}</button>`,
      )}
      <button id="clock-reset" name="advanceMs" value="reset">Back to real time</button>
    </form>
  </section>`;
}
