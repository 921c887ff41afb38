import { html } from 'hono/html';
import { allowedTargets, type FaultKind, faultKinds, webhookKinds } from '../faults/fault.ts';
import type { ArmedFault } from '../ledger/records.ts';
import { type FaultField, faultWords } from './fault-words.ts';
import type { Markup } from './markup.ts';
import { storyForm } from './story-section.ts';

export function faultsSection(armed: readonly ArmedFault[]): Markup {
  const onWebhooks = faultKinds.filter((kind) =>
    webhookKinds.some((name) => name === kind && name !== 'delay'),
  );
  const onCalls = faultKinds.filter((kind) => !onWebhooks.includes(kind));
  return html`<section aria-labelledby="faults-title">
    <header class="bar">
      <h2 id="faults-title">Faults</h2>
      <form method="post" action="/fake/page/faults/clear">
        <button id="clear-faults">Clear all faults</button>
      </form>
    </header>
    ${storyForm(armed)}
    <p class="quiet">
      A fault switched on hits the next matching call once, or every one until it is switched off.
    </p>
    <h3>On calls to the API</h3>
    <ul class="faults">
      ${onCalls.map((kind) => faultRow(kind, armed))}
    </ul>
    <h3>On webhooks</h3>
    <ul class="faults">
      ${onWebhooks.map((kind) => faultRow(kind, armed))}
    </ul>
  </section>`;
}

function faultRow(kind: FaultKind, armed: readonly ArmedFault[]): Markup {
  const { title, says, fields } = faultWords[kind];
  const active = armed.filter(({ fault }) => fault.do === kind);
  const on = active.length > 0;
  return html`<li>
    <form method="post" action="/fake/page/faults/toggle">
      <input type="hidden" name="do" value="${kind}" />
      <div class="words">
        <strong id="title-${kind}">${title}</strong> <code>${kind}</code>
        <p id="says-${kind}">${says}</p>
        <p class="live" data-live="armed-${kind}">${active.map(describeArmed)}</p>
      </div>
      <div class="knobs">
        ${targetField(kind)} ${fields.map((field) => parameterField(kind, field))} ${timesField}
      </div>
      <span data-live="switch-${kind}">
        <input type="hidden" name="switch" value="${on ? 'off' : 'on'}" />
        <button
          id="switch-${kind}"
          role="switch"
          aria-checked="${on ? 'true' : 'false'}"
          aria-labelledby="title-${kind}"
          aria-describedby="says-${kind}"
        >
          ${on ? 'On' : 'Off'}
        </button>
      </span>
    </form>
  </li>`;
}

function describeArmed({ fault, timesLeft, hits, seen }: ArmedFault): Markup {
  const steady = fault.do === 'rate_limit' && fault.perSecond !== undefined;
  const often = steady ? `beyond ${fault.perSecond} a second` : 'every time';
  const left = timesLeft === null ? often : `${timesLeft} more`;
  const every = fault.every === 1 ? '' : `, every ${fault.every}th call (${seen} seen)`;
  const aimed = fault.paymentIntent === null ? '' : `, only ${fault.paymentIntent}`;
  return html`<span>${fault.on}: ${left}${every}${aimed}, hit ${hits} so far. </span>`;
}

function targetField(kind: FaultKind): Markup {
  const targets = allowedTargets(kind);
  if (targets.length === 1) return html`<input type="hidden" name="on" value="${targets[0] ?? ''}" />`;
  return html`<label
    >On
    <select name="on">
      ${targets.map((target) => html`<option>${target}</option>`)}
    </select></label
  >`;
}

const timesField = html`<label
  >Times
  <select name="times">
    <option value="1">once</option>
    <option value="always">always</option>
  </select></label
>`;

function parameterField(kind: FaultKind, { name, label, value }: FaultField): Markup {
  const id = `${kind}-${name}`;
  if (name !== 'then') {
    return html`<label for="${id}"
      >${label} <input id="${id}" name="${name}" type="number" value="${value}"
    /></label>`;
  }
  return html`<label for="${id}"
    >${label}
    <select id="${id}" name="then">
      ${['succeeded', 'failed', 'canceled'].map((end) => html`<option>${end}</option>`)}
    </select></label
  >`;
}
