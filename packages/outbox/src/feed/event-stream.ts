/** One event of a Server-Sent Events stream. `id`: `null` when the event carries none, empty when it clears it. */
export type StreamEvent = { readonly event: string; readonly data: string; readonly id: string | null };

export type EventStreamParser = {
  /** Takes the next piece of decoded text, cut anywhere; returns the events that it completes. */
  push(text: string): StreamEvent[];
};

type Pending = { event: string; data: string[]; id: string | null };

const blank = (): Pending => ({ event: 'message', data: [], id: null });

const takeLine = (pending: Pending, line: string): void => {
  const colon = line.indexOf(':');
  const field = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (field === 'event') pending.event = value;
  else if (field === 'data') pending.data.push(value);
  else if (field === 'id' && !value.includes('\u0000')) pending.id = value;
};

/**
 * Reads the event stream format. Written by hand, since the browser's own reader hides the status of a refusal and
 * the silence of a dead connection. Half an event at the end of a broken stream is no event.
 */
export const createEventStreamParser = (): EventStreamParser => {
  let rest = '';
  let pending = blank();
  return {
    push(text) {
      const events: StreamEvent[] = [];
      rest += text;
      for (;;) {
        const end = /\r\n|\n|\r(?!$)/.exec(rest);
        if (!end) return events;
        const line = rest.slice(0, end.index);
        rest = rest.slice(end.index + end[0].length);
        if (line !== '') {
          if (!line.startsWith(':')) takeLine(pending, line);
          continue;
        }
        if (pending.data.length > 0) {
          events.push({ event: pending.event, data: pending.data.join('\n'), id: pending.id });
        }
        pending = blank();
      }
    },
  };
};
