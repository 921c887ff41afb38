import { html } from 'hono/html';
import type { Ledger } from '../ledger/ledger.ts';
import { refundsOf } from '../ledger/questions.ts';
import type { DisputeRecord, PaymentRecord, RefundRecord } from '../ledger/records.ts';
import { isClosed } from '../stripe/dispute-object.ts';
import { formatAmount } from '../stripe/currency.ts';
import { refundedAmount } from '../stripe/refund-object.ts';
import { type Markup, newest, time } from './markup.ts';

export function ledgerSection(ledger: Ledger): Markup {
  return html`<section aria-labelledby="ledger-title">
    <h2 id="ledger-title">Ledger</h2>
    <div data-live="ledger">
      ${refundTable(newest([...ledger.refunds.values()]), ledger.refunds.size)}
      ${disputeTable(newest([...ledger.disputes.values()]))}
      ${paymentTable(ledger, newest([...ledger.payments.values()]))}
    </div>
    <h3>By hand, as in the dashboard</h3>
    ${byHandForms([...ledger.payments.keys()])}
  </section>`;
}

function refundTable(refunds: readonly RefundRecord[], count: number): Markup {
  if (count === 0) return html`<p class="empty">No refunds yet.</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Refunds">
    <table>
      <caption>
        Refunds, newest first: ${count}
      </caption>
      <thead>
        <tr>
          <th scope="col">Amount</th>
          <th scope="col">Status</th>
          <th scope="col">Refund</th>
          <th scope="col">Payment</th>
          <th scope="col">Metadata</th>
          <th scope="col">Made</th>
          <th scope="col">Change it</th>
        </tr>
      </thead>
      <tbody>
        ${refunds.map(refundRow)}
      </tbody>
    </table>
  </div>`;
}

function refundRow(refund: RefundRecord): Markup {
  const metadata = Object.entries(refund.metadata);
  return html`<tr>
    <td class="amount">${formatAmount(refund.amount, refund.currency)}</td>
    <td>
      <span class="status ${refund.status}">${refund.status}</span
      >${refund.failureReason === null ? '' : html`<br /><small>${refund.failureReason}</small>`}
    </td>
    <td><code>${refund.id}</code></td>
    <td><code>${refund.paymentIntent}</code></td>
    <td>${metadata.map(([key, value]) => html`<small>${key}: ${value}</small><br />`)}</td>
    <td>${time(refund.created * 1000)}</td>
    <td>${refund.status === 'failed' || refund.status === 'canceled' ? '' : changeButtons(refund)}</td>
  </tr>`;
}

function changeButtons({ id, status }: RefundRecord): Markup {
  const ends = status === 'pending' ? (['succeeded', 'failed', 'canceled'] as const) : (['failed'] as const);
  return html`<form method="post" action="/fake/page/refunds/${id}" class="row">
    ${ends.map(
      (end) =>
        html`<button id="${end}-${id}" name="status" value="${end}" aria-label="Set ${id} to ${end}">
          ${end}
        </button>`,
    )}
  </form>`;
}

function disputeTable(disputes: readonly DisputeRecord[]): Markup {
  if (disputes.length === 0) return html``;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Disputes">
    <table>
      <caption>
        Disputes
      </caption>
      <thead>
        <tr>
          <th scope="col">Amount</th>
          <th scope="col">Status</th>
          <th scope="col">Payment</th>
          <th scope="col">Close it</th>
        </tr>
      </thead>
      <tbody>
        ${disputes.map(disputeRow)}
      </tbody>
    </table>
  </div>`;
}

function disputeRow(dispute: DisputeRecord): Markup {
  const { id, amount, currency, status, paymentIntent } = dispute;
  const close = html`<form method="post" action="/fake/page/disputes/${id}" class="row">
    <button id="won-${id}" name="status" value="won" aria-label="Close ${id} as won">won</button>
    <button id="lost-${id}" name="status" value="lost" aria-label="Close ${id} as lost">lost</button>
  </form>`;
  return html`<tr>
    <td class="amount">${formatAmount(amount, currency)}</td>
    <td>${status}</td>
    <td><code>${paymentIntent}</code></td>
    <td>${isClosed(dispute) ? '' : close}</td>
  </tr>`;
}

function paymentTable(ledger: Ledger, payments: readonly PaymentRecord[]): Markup {
  const count = ledger.payments.size;
  if (count === 0) return html`<p class="empty">No payments are registered.</p>`;
  return html`<details id="payments">
    <summary>Payments: ${count}</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Payments">
      <table>
        <thead>
          <tr>
            <th scope="col">Captured</th>
            <th scope="col">Left to refund</th>
            <th scope="col">Payment</th>
            <th scope="col">Made</th>
          </tr>
        </thead>
        <tbody>
          ${payments.map((payment) => paymentRow(payment, refundsOf(ledger, payment.id)))}
        </tbody>
      </table>
    </div>
  </details>`;
}

function paymentRow(payment: PaymentRecord, refunds: readonly RefundRecord[]): Markup {
  const { amount, currency, id, created } = payment;
  return html`<tr>
    <td class="amount">${formatAmount(amount, currency)}</td>
    <td class="amount">${formatAmount(amount - refundedAmount(refunds), currency)}</td>
    <td><code>${id}</code></td>
    <td>${time(created * 1000)}</td>
  </tr>`;
}

function byHandForms(payments: readonly string[]): Markup {
  return html`<datalist id="known-payments">
      ${payments.slice(-200).map((id) => html`<option value="${id}"></option>`)}
    </datalist>
    <form method="post" action="/fake/page/refunds" class="row">
      <label>Payment <input name="payment_intent" list="known-payments" required placeholder="pi_…" /></label>
      <label
        >Amount, minor units <input name="amount" type="number" min="1" placeholder="all that is left"
      /></label>
      <button id="refund-by-hand">Refund</button>
      <button id="dispute-by-hand" formaction="/fake/page/disputes">Open a dispute</button>
    </form>`;
}
