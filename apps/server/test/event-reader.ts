export type ReadEvent = { readonly event: string; readonly id: string | undefined; readonly data: string };
export type EventReader = {
  /** The next event, or `undefined` when the stream has ended. Comments are counted and skipped. */
  readonly next: () => Promise<ReadEvent | undefined>;
  readonly until: (event: string) => Promise<ReadEvent[]>;
  readonly comments: () => number;
  readonly cancel: () => Promise<void>;
};

const parse = (block: string): ReadEvent | 'comment' => {
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')] as const;
    }),
  );
  const event = fields.get('event');
  if (event === undefined) return 'comment';
  return { event, id: fields.get('id'), data: fields.get('data') ?? '' };
};

/** Reads Server-Sent Events from a body, as they come. */
export const readEvents = (body: ReadableStream<Uint8Array> | null): EventReader => {
  if (body === null) throw new Error('there is no body');
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let comments = 0;
  const next = async (): Promise<ReadEvent | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const found = parse(text.slice(0, end));
        text = text.slice(end + 2);
        if (found !== 'comment') return found;
        comments += 1;
        continue;
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += decoder.decode(value, { stream: true });
    }
  };
  return {
    next,
    until: async (event) => {
      const seen: ReadEvent[] = [];
      for (;;) {
        const found = await next();
        if (found === undefined) throw new Error(`the stream ended before ${event}`);
        seen.push(found);
        if (found.event === event) return seen;
      }
    },
    comments: () => comments,
    cancel: () => reader.cancel(),
  };
};
