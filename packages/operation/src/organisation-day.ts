/** Half-open: `endMs` is the first instant of the next day. Milliseconds since the epoch. */
export type DayBounds = { readonly startMs: number; readonly endMs: number };

const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  formats.set(timeZone, made);
  return made;
};

/** Whether the rules of this zone are known here. */
export const isTimeZone = (name: string): boolean => {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
};

/** The date on the wall there, as a number that grows with it. */
const dateThere = (format: Intl.DateTimeFormat, atMs: number): number => {
  let date = 0;
  for (const { type, value } of format.formatToParts(atMs)) {
    if (type === 'year') date += Number(value) * 10_000;
    else if (type === 'month') date += Number(value) * 100;
    else if (type === 'day') date += Number(value);
  }
  return date;
};

/** No day on any wall is longer, and none is further off than its neighbour. */
const longestMs = 50 * 60 * 60 * 1000;

/** The first whole millisecond after `beforeMs` for which it holds; it does for `thenMs`, and from some instant on. */
const firstInstant = (beforeMs: number, thenMs: number, holds: (atMs: number) => boolean): number => {
  let [not, does] = [beforeMs, thenMs];
  while (does - not > 1) {
    const middle = Math.floor((not + does) / 2);
    if (holds(middle)) does = middle;
    else not = middle;
  }
  return does;
};

/**
 * The day on the wall of a time zone that contains an instant: from the first instant that carries its date to the first
 * that carries a later one. It is looked for in the dates themselves, so a day of 23 or 25 hours, one that begins at
 * one o'clock, and one that a whole country left out need no rule of their own.
 */
export const dayBounds = (atMs: number, timeZone: string): DayBounds => {
  const format = formatOf(timeZone);
  const today = dateThere(format, atMs);
  return {
    startMs: firstInstant(atMs - longestMs, atMs, (then) => dateThere(format, then) >= today),
    endMs: firstInstant(atMs, atMs + longestMs, (then) => dateThere(format, then) > today),
  };
};

const dateShape = /^(\d{4})-(\d{2})-(\d{2})$/;

/**
 * The day of this date (`2026-01-31`) on the wall of a time zone. `undefined`: it is no date, or a country left it out.
 */
export const boundsOfDate = (date: string, timeZone: string): DayBounds | undefined => {
  const [, year, month, day] = dateShape.exec(date) ?? [];
  if (year === undefined) return undefined;
  const wanted = Number(year) * 10_000 + Number(month) * 100 + Number(day);
  const noonMs = Date.UTC(Number(year), Number(month) - 1, Number(day), 12);
  const format = formatOf(timeZone);
  // Noon of it in UTC is on the day, or on one beside it: zones are up to fourteen hours off.
  for (const offMs of [0, -12, 12, -24, 24].map((hours) => hours * 60 * 60 * 1000)) {
    if (dateThere(format, noonMs + offMs) === wanted) return dayBounds(noonMs + offMs, timeZone);
  }
  return undefined;
};
