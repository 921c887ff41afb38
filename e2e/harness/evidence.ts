import type { Page } from '@playwright/test';
import { queueRows, type QueueRows } from './queue-rows.ts';
import type { ServerRows } from './server-rows.ts';

/** What is proved at one moment: by the device's rows and by the server's. */
export type Evidence = {
  readonly rows: QueueRows;
  /** The state of each operation that the server has, by its ID. */
  readonly states: ReadonlyMap<string, string>;
};

/** A sentence of the screens, and what must be so for it to be true of this operation. */
type Claim = { readonly says: RegExp; readonly holds: (evidence: Evidence, operationId: string) => boolean };

const isStored = ({ states }: Evidence, id: string): boolean => states.has(id);
const isIn =
  (...known: readonly string[]) =>
  ({ states }: Evidence, id: string): boolean =>
    known.includes(states.get(id) ?? '');

const wasAttempted = ({ rows }: Evidence, id: string): boolean =>
  rows.log.some(({ entryKey, event }) => entryKey.startsWith(`${id}/`) && event.kind === 'attempt-started');
const isSavedHere = ({ rows }: Evidence, id: string): boolean =>
  rows.entries.some(({ operationId }) => operationId === id);

const approved = ['approved', 'submitting', 'pending', 'confirmed', 'outcome_unknown', 'failed', 'reversed'];

const claims: readonly Claim[] = [
  { says: /Saved on this device/, holds: isSavedHere },
  { says: /Waiting to hear|Sending now/, holds: wasAttempted },
  { says: /Waiting for (a second )?approval|Received by Holdfast\.|: Holdfast answered/, holds: isStored },
  { says: /Approved\. It will|Submitting to|has accepted it/, holds: isIn(...approved) },
  {
    says: /confirmation is delayed|We are checking it/,
    holds: isIn('outcome_unknown', 'confirmed', 'failed'),
  },
  { says: /reports it refunded/, holds: isIn('confirmed', 'reversed') },
  { says: /No money moved/, holds: isIn('failed') },
];

/** What a screen says about one operation (each link to it with what stands around it), and about the whole device. */
export type Said = {
  readonly of: readonly { readonly operationId: string; readonly text: string }[];
  readonly pill: string;
  readonly screen: string;
};

/** Runs in the page, so it stands on its own. */
export const saidInPage = (): Said => {
  const idIn = (address: string): string | undefined => /\/operations\/([0-9a-f-]{36})/.exec(address)?.[1];
  const main = document.querySelector<HTMLElement>('main');
  const links = [...(main?.querySelectorAll<HTMLAnchorElement>('a[href]') ?? [])];
  const of = links.flatMap((link) => {
    const operationId = idIn(link.href);
    const around = link.closest<HTMLElement>('li') ?? link;
    return operationId === undefined ? [] : [{ operationId, text: around.innerText }];
  });
  const whole = idIn(location.href);
  if (whole !== undefined) of.push({ operationId: whole, text: main?.innerText ?? '' });
  const pill = document.querySelector<HTMLElement>(
    'a[href$="/device"][aria-label], header a[href$="/device"]',
  );
  return { of, pill: pill?.innerText ?? '', screen: main?.innerText ?? '' };
};

export const saidOn = (page: Page): Promise<Said> => page.evaluate(saidInPage);

/** What the text about one operation says and nothing proves. */
const unprovedOf = (text: string, operationId: string, evidence: Evidence): readonly string[] =>
  claims.flatMap(({ says, holds }) => {
    const words = says.exec(text)?.[0];
    return words === undefined || holds(evidence, operationId) ? [] : [`${operationId}: "${words}"`];
  });

const wholeDevice = /All received|Everything you saved here has been received by Holdfast/;

/** Proposals of this device that neither the server has nor anybody dropped. */
const notReceived = ({ rows, states }: Evidence): number => {
  const dropped = new Set(
    rows.log.filter(({ event }) => event.kind === 'dropped').map(({ entryKey }) => entryKey),
  );
  return rows.entries.filter(
    ({ operationId, type, key }) => type === 'propose' && !states.has(operationId) && !dropped.has(key),
  ).length;
};

/** Every sentence of a screen that is stronger than what is proved. */
export const unproved = (said: Said, evidence: Evidence): readonly string[] => {
  const ofOperations = said.of.flatMap(({ operationId, text }) => unprovedOf(text, operationId, evidence));
  const ofDevice = wholeDevice.exec(`${said.pill} ${said.screen}`)?.[0];
  const missing = notReceived(evidence);
  return ofDevice === undefined || missing === 0
    ? ofOperations
    : [...ofOperations, `"${ofDevice}" while ${missing} were not`];
};

/**
 * Collects what is proved. Read after the text: evidence only grows, so what a screen said first and is proved later
 * was at most a moment early; read before it, a true sentence could look unproved.
 */
export const evidenceOf = async (page: Page, serverRows: ServerRows): Promise<Evidence> => {
  const rows = await queueRows(page);
  return { rows, states: await serverRows.states() };
};
