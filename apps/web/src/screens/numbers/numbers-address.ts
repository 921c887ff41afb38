import { figures, type Figure } from '@holdfast/operation';

/** What the figures are asked for. It stands in the address. */
export const dayChoices = [7, 30, 90] as const;

export const readDays = (search: URLSearchParams): number =>
  dayChoices.find((days) => String(days) === search.get('days')) ?? 30;

export type BehindLink = {
  readonly figure: Figure;
  readonly label?: string;
  readonly from?: string;
  readonly until?: string;
  readonly oldestFromSeconds?: number;
  readonly oldestBelowSeconds?: number | null;
};

const names = ['label', 'from', 'until', 'oldestFromSeconds', 'oldestBelowSeconds'] as const;

/** Where the operations behind a figure are listed. */
export const behindPath = (link: BehindLink): string => {
  const search = new URLSearchParams({ figure: link.figure });
  for (const name of names) {
    const value = link[name];
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  return `/numbers/operations?${search}`;
};

/** The figure that the address names, and what the server is asked for. `null`: it names none. */
export const readBehind = (
  search: URLSearchParams,
): {
  readonly figure: Figure;
  readonly query: string;
  readonly from: string | null;
  readonly until: string | null;
} | null => {
  const figure = figures.find((one) => one === search.get('figure'));
  if (figure === undefined) return null;
  const asked = new URLSearchParams({ figure });
  for (const name of names) {
    const value = search.get(name);
    if (value !== null) asked.set(name, value);
  }
  return { figure, query: asked.toString(), from: search.get('from'), until: search.get('until') };
};

/** The device's own zone, by the name that the server is told, and how far it is from UTC at that time. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

export const offsetText = (zone: string, at: string): string =>
  new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(new Date(at))
    .find(({ type }) => type === 'timeZoneName')
    ?.value.replace('GMT', 'UTC')
    .replace('+00:00', '') ?? 'UTC';
