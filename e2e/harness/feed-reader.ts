/** A client of the feed: it remembers its place, and goes on from there whenever its connection ends. */
export type FeedReader = {
  /** The newest version of each operation that it was told. */
  readonly versions: ReadonlyMap<string, number>;
  readonly resets: () => readonly string[];
  /** Whether it has everything there is, and from then on hears what changes. */
  readonly live: () => boolean;
  readonly connections: () => number;
  readonly stop: () => Promise<void>;
};

type Told = {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Record<string, unknown>;
};

const readEvent = (text: string): Told | undefined => {
  const fields = new Map(
    text.split('\n').flatMap((line) => {
      const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );
  const [event, data] = [fields.get('event'), fields.get('data')];
  if (event === undefined || data === undefined) return undefined;
  return { event, id: fields.get('id'), data: JSON.parse(data) as Record<string, unknown> };
};

export const startFeedReader = (origin: string, key: string): FeedReader => {
  const versions = new Map<string, number>();
  const resets: string[] = [];
  const ending = new AbortController();
  let cursor = '';
  let live = false;
  let connections = 0;

  const hear = ({ event, id, data }: Told): void => {
    if (event === 'reset') {
      resets.push(String(data['reason']));
      versions.clear();
      live = false;
    }
    if (event === 'live') live = true;
    if (event === 'operation') {
      const [operation, version] = [String(data['id']), Number(data['version'])];
      versions.set(operation, Math.max(version, versions.get(operation) ?? 0));
    }
    // Only after the event has been taken in, as a browser does it.
    if (id !== undefined) cursor = id;
  };

  const connect = async (): Promise<void> => {
    const response = await fetch(`${origin}/v1/feed`, {
      headers: { authorization: `Bearer ${key}`, ...(cursor === '' ? {} : { 'last-event-id': cursor }) },
      signal: ending.signal,
    });
    if (!response.ok || response.body === null) throw new Error(`the feed answered ${response.status}`);
    connections += 1;
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      const parts = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const told = readEvent(part);
        if (told !== undefined) hear(told);
      }
    }
  };

  const follow = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      // An end of the connection, of whatever kind, is followed by another one.
      await connect().catch(() => undefined);
      if (!ending.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const ended = follow();

  return {
    versions,
    resets: () => resets,
    live: () => live,
    connections: () => connections,
    stop: async () => {
      ending.abort();
      await ended;
    },
  };
};
