import { words } from '../messages/messages.ts';

const locale = (): string => globalThis.navigator?.language ?? 'en';

const exactFormat = new Intl.DateTimeFormat(locale(), {
  dateStyle: 'medium',
  timeStyle: 'long',
});
const clockFormat = new Intl.DateTimeFormat(locale(), {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const dayFormat = new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', year: 'numeric' });
const shortDayFormat = new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short' });

/** The whole moment, zone named: "29 Nov 2026, 12:04:09 CET". */
export const exactMoment = (iso: string): string => exactFormat.format(new Date(iso));

/** The time of day; the day stands before it where it is not today. */
export const clockMoment = (iso: string, nowMs: number): string => {
  const then = new Date(iso);
  const clock = clockFormat.format(then);
  return then.toDateString() === new Date(nowMs).toDateString()
    ? clock
    : `${shortDayFormat.format(then)} ${clock}`;
};

const shortClockFormat = new Intl.DateTimeFormat(locale(), { hour: '2-digit', minute: '2-digit' });

/** "12:04"; the day stands before it where it is not today. */
export const shortClock = (atMs: number, nowMs: number): string => {
  const then = new Date(atMs);
  const clock = shortClockFormat.format(then);
  const isToday = then.toDateString() === new Date(nowMs).toDateString();
  return isToday ? clock : `${shortDayFormat.format(then)} ${clock}`;
};

export const dayMoment = (iso: string): string => dayFormat.format(new Date(iso));

const spanRounded = (milliseconds: number, round: (units: number) => number): string => {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 60) return words.time.seconds(seconds);
  // What rounds up to a whole one of the next unit is told in that.
  if (round(seconds / 60) < 60) return words.time.minutes(round(seconds / 60));
  if (round(seconds / 3_600) < 24) return words.time.hours(round(seconds / 3_600));
  return words.time.days(round(seconds / 86_400));
};

/** A duration as a person would say it: "14 min", "3 h", "2 days". */
export const spanText = (milliseconds: number): string => spanRounded(milliseconds, Math.floor);

/** "14 min ago", "in 40 s", "just now"; `isAhead`: of what is still to come, then "any moment now". */
export const relativeMoment = (iso: string, nowMs: number, isAhead = false): string => {
  const distance = nowMs - new Date(iso).getTime();
  // What is still to come and whose time is up has not happened: it is never "ago".
  if (isAhead && distance > -5_000) return words.time.anyMoment;
  if (Math.abs(distance) < 5_000) return words.time.justNow;
  return distance > 0
    ? words.time.ago(spanText(distance))
    : words.time.inFuture(spanRounded(-distance, Math.round));
};
