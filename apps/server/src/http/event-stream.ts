/** One Server-Sent Event. `id` undefined: no `id:` line; `''`: an empty one, which makes a client forget its cursor. */
export type StreamEvent = { readonly event: string; readonly data: unknown; readonly id?: string };

/** A stream being written. `send` resolves once the reader keeps up, so that a slow one holds no memory here. */
export type EventWriter = {
  readonly send: (events: readonly StreamEvent[]) => Promise<void>;
  readonly closed: () => boolean;
  /** Called once when the stream ends, from whichever side. */
  readonly onClose: (listener: () => void) => void;
};

export type EventStream = { readonly response: Response; readonly close: () => void };

/** How much a reader may lag behind before the writer waits for it. */
const bufferedBytes = 256 * 1024;
const encoder = new TextEncoder();

/** What many streams are told is written out once. */
const texts = new WeakMap<object, string>();

const textOf = (data: unknown): string => {
  if (typeof data !== 'object' || data === null) return JSON.stringify(data);
  const known = texts.get(data);
  if (known !== undefined) return known;
  const text = JSON.stringify(data);
  texts.set(data, text);
  return text;
};

/** JSON has no raw line ends, so one `data:` line is enough. */
export const encodeEvent = ({ event, data, id }: StreamEvent): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${textOf(data)}\n\n`;

/**
 * No `Connection` or `Transfer-Encoding` here: HTTP/2 forbids them, and sending the headers throws.
 * `no-transform` and `X-Accel-Buffering` keep proxies from holding events back.
 */
const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * Opens a stream of our own on a `ReadableStream`.
 * @param produce writes events until it returns (which ends the stream) or the stream closes
 * @param heartbeatMs a comment line at least this often, so that both sides notice a dead connection
 * @param onFailure what `produce` threw; the reader sees only the end
 */
export const openEventStream = (
  produce: (writer: EventWriter) => Promise<void>,
  heartbeatMs: number,
  onFailure: (error: unknown) => void,
): EventStream => {
  const closeListeners: (() => void)[] = [];
  let closed = false;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let room: () => void = () => undefined;

  const hasRoom = (): boolean => (controller?.desiredSize ?? 0) > 0;
  const write = (text: string): void => {
    if (!closed) controller?.enqueue(encoder.encode(text));
  };
  const heartbeat = setInterval(() => {
    if (hasRoom()) write(': still here\n\n');
  }, heartbeatMs);
  const finish = (): boolean => {
    if (closed) return false;
    closed = true;
    clearInterval(heartbeat);
    room();
    for (const listener of closeListeners) listener();
    return true;
  };
  const writer: EventWriter = {
    closed: () => closed,
    onClose: (listener) => {
      closeListeners.push(listener);
    },
    send: async (events) => {
      if (events.length > 0) write(events.map(encodeEvent).join(''));
      while (!closed && !hasRoom()) {
        await new Promise<void>((resolve) => {
          room = resolve;
        });
      }
    },
  };
  const close = (): void => {
    if (finish()) controller?.close();
  };
  const source = {
    start: (started: ReadableStreamDefaultController<Uint8Array>) => {
      controller = started;
      write('retry: 2000\n\n');
      void produce(writer).catch(onFailure).finally(close);
    },
    pull: () => {
      room();
    },
    cancel: () => {
      finish();
    },
  };
  const stream = new ReadableStream<Uint8Array>(
    source,
    new ByteLengthQueuingStrategy({ highWaterMark: bufferedBytes }),
  );
  return { response: new Response(stream, { headers }), close };
};
