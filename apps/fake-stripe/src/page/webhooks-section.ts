import { html } from 'hono/html';
import type { Ledger } from '../ledger/ledger.ts';
import type { DeliveryAttempt, DeliveryRecord, DeliveryState, RequestRecord } from '../ledger/records.ts';
import { type Markup, newest, time } from './markup.ts';

const stateWords: Record<DeliveryState, string> = {
  due: 'to be sent',
  held: 'held back',
  waiting: 'waits to be overtaken',
  delivered: 'delivered',
  given_up: 'given up',
  unaddressed: 'no endpoint was set',
};

export function webhooksSection(ledger: Ledger): Markup {
  const deliveries = newest([...ledger.deliveries.values()]);
  const rows = deliveries.map((delivery) => webhookRow(ledger, delivery));
  return html`<section aria-labelledby="webhooks-title">
    <header class="bar">
      <h2 id="webhooks-title">Webhooks</h2>
      <form method="post" action="/fake/page/webhooks/release">
        <button id="release-webhooks">Release what is held</button>
      </form>
    </header>
    <div data-live="webhooks">
      <p class="quiet">
        ${ledger.endpoint === null ? 'No endpoint is set; nothing is sent.' : html`Sent to <code>${ledger.endpoint.url}</code>`}
      </p>
      ${rows.length === 0 ? html`<p class="empty">No events yet.</p>` : webhookTable(rows, ledger.deliveries.size)}
    </div>
  </section>`;
}

function webhookTable(rows: readonly Markup[], count: number): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Events">
    <table>
      <caption>
        Events, newest first: ${count}
      </caption>
      <thead>
        <tr>
          <th scope="col">Event</th>
          <th scope="col">State</th>
          <th scope="col">Attempts</th>
          <th scope="col">About</th>
          <th scope="col">Request</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

function webhookRow(ledger: Ledger, { event: id, state, attempts, dueMs }: DeliveryRecord): Markup {
  const event = ledger.events.get(id);
  if (event === undefined) return html``;
  const next = state === 'due' && attempts.length > 0 ? html`<br /><small>next ${time(dueMs)}</small>` : '';
  return html`<tr>
    <td>${event.type}<br /><code>${id}</code></td>
    <td><span class="status ${state}">${stateWords[state]}</span>${next}</td>
    <td>${attempts.length === 0 ? 'none' : attemptList(id, attempts)}</td>
    <td><code>${event.object.id}</code><br /><code>${event.paymentIntent}</code></td>
    <td>
      ${event.request.id === null ? 'by hand or by time' : html`<code>${event.request.id}</code><br /><small>key ${event.request.idempotency_key ?? 'none'}</small>`}
    </td>
  </tr>`;
}

function attemptList(id: string, attempts: readonly DeliveryAttempt[]): Markup {
  const last = attempts.at(-1);
  return html`<details id="attempts-${id}">
    <summary>${attempts.length}, last: ${last === undefined ? '' : attemptWords(last)}</summary>
    <ol>
      ${attempts.map((attempt) => html`<li>${time(attempt.atMs)} ${attemptWords(attempt)}, ${attempt.tookMs} ms</li>`)}
    </ol>
  </details>`;
}

function attemptWords({ status, problem, note }: DeliveryAttempt): string {
  const outcome = status === null ? `no answer (${problem ?? 'unknown'})` : String(status);
  return note === null ? outcome : `${outcome} [${note}]`;
}

export function requestsSection(requests: readonly RequestRecord[], count: number): Markup {
  const rows = newest(requests).map(requestRow);
  return html`<section aria-labelledby="requests-title">
    <h2 id="requests-title">Requests that change something</h2>
    <div data-live="requests">
      ${
        rows.length === 0
          ? html`<p class="empty">None yet.</p>`
          : html`<div class="scroll" tabindex="0" role="region" aria-label="Requests">
              <table>
                <caption>
                  Newest first: ${count}
                </caption>
                <thead>
                  <tr>
                    <th scope="col">At</th>
                    <th scope="col">Answered</th>
                    <th scope="col">Did</th>
                    <th scope="col">Key</th>
                    <th scope="col">Body</th>
                  </tr>
                </thead>
                <tbody>
                  ${rows}
                </tbody>
              </table>
            </div>`
      }
    </div>
  </section>`;
}

function requestRow(request: RequestRecord): Markup {
  const { status, replayed, fault, executed, idempotencyKey, body } = request;
  return html`<tr>
    <td>${time(request.atMs)}</td>
    <td>
      ${status ?? 'not yet'}${replayed ? ', replayed' : ''}${fault === null ? '' : html`<br /><small>${fault}</small>`}
    </td>
    <td>${executed === null ? 'nothing' : html`<code>${executed}</code>`}</td>
    <td><code>${idempotencyKey ?? 'none'}</code></td>
    <td><code>${body}</code></td>
  </tr>`;
}
