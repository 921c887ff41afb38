import { html } from 'hono/html';

/** Hono's own template: every value put into it is escaped unless it came out of the template itself. */
export type Markup = ReturnType<typeof html>;

const rowsShown = 50;

export function newest<Item>(items: readonly Item[]): Item[] {
  return items.slice(-rowsShown).reverse();
}

export function time(ms: number): Markup {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(5, 19).replace('T', ' ')}</time>`;
}
