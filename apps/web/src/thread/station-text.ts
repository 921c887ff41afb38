import { words } from '../messages/messages.ts';
import { clockMoment, exactMoment } from '../parts/moment.ts';
import type { Station, StationMark, Stretch, Thread } from './thread-of.ts';

export type StationText = {
  readonly label: string;
  /** The time of day, or `null`; `exact` names the zone. */
  readonly time: string | null;
  readonly exact: string | null;
  readonly byDeviceClock: boolean;
  readonly note: string | null;
};

const labelOf = (station: Station, thread: Thread, provider: string): string => {
  switch (station.key) {
    case 'device':
      return thread.startedHere ? words.thread.device : words.thread.proposer;
    case 'holdfast':
      return words.thread.holdfast;
    case 'approver':
      return words.thread.approver;
    case 'provider':
      return provider;
  }
};

const noteOfMark: Record<StationMark, string | null> = {
  done: null,
  saved: words.thread.onlyHere,
  waiting: words.thread.waiting,
  ahead: words.thread.notYet,
  accepted: words.thread.accepted,
  unseen: words.thread.notKnown,
  stopped: words.thread.stopped,
  ended: words.thread.ended,
  turned: words.thread.turned,
};

const noteOf = (
  station: Station,
  before: Stretch | undefined,
  thread: Thread,
  nowMs: number,
): string | null => {
  if (station.mark === 'saved' && station.key === 'approver') return words.thread.decisionHere;
  if (station.mark === 'unseen' && station.key === 'approver') return words.thread.notOnRecord;
  if (station.mark === 'unseen') {
    const asked = thread.lastAskedAt;
    const last = asked === null ? words.thread.notAsked : words.thread.lastAsked(clockMoment(asked, nowMs));
    return `${words.thread.notKnown}, ${last}`;
  }
  if (station.mark === 'ahead' && before === 'moving') {
    return station.key === 'provider' ? words.thread.asking : words.thread.onItsWay;
  }
  if (station.mark === 'done')
    return station.at === null && station.who === null ? words.thread.done : station.who;
  return noteOfMark[station.mark];
};

/** What is written under each station, in order. */
export const stationTexts = (thread: Thread, provider: string, nowMs: number): readonly StationText[] =>
  thread.stations.map((station, index) => {
    const person = thread.needsPerson && station.key === 'provider';
    const note = noteOf(station, thread.stretches[index - 1], thread, nowMs);
    return {
      label: labelOf(station, thread, provider),
      time: station.at === null ? null : clockMoment(station.at, nowMs),
      exact: station.at === null ? null : exactMoment(station.at),
      byDeviceClock: station.at !== null && station.clock === 'device',
      note: person ? [note, words.needsPersonWord.toLowerCase()].filter(Boolean).join(', ') : note,
    };
  });

/** The same thread as the one sentence that a screen reader hears. */
export const threadSentence = (thread: Thread, provider: string, nowMs: number): string =>
  stationTexts(thread, provider, nowMs)
    .map((text) => {
      const clock = text.byDeviceClock
        ? thread.startedHere
          ? ` ${words.thread.deviceClock}`
          : ` ${words.thread.otherDeviceClock}`
        : '';
      const time = text.time === null ? '' : ` ${text.time}${clock}`;
      return `${text.label}${time}${text.note === null ? '' : `, ${text.note}`}`;
    })
    .join('; ')
    .concat('.');
