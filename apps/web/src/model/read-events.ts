const eventIn = (block: string): { readonly event: string; readonly data: unknown } | null => {
  const event = /^event: (.*)$/m.exec(block)?.[1];
  const data = /^data: (.*)$/m.exec(block)?.[1];
  return event === undefined || data === undefined ? null : { event, data: JSON.parse(data) };
};

/** Reads a stream of events to its end, as our own server writes them. Rejects where it breaks off or is none. */
export const readEvents = async (
  body: ReadableStream<Uint8Array>,
  onEvent: (event: string, data: unknown) => void,
): Promise<void> => {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const read = eventIn(block);
      if (read !== null) onEvent(read.event, read.data);
    }
  }
};
