/** Reads a stream of Server-Sent Events from pieces of text, cut anywhere. `id` undefined: the event had no `id:` line. */
export const eventsOf = (
  hear: (event: string, data: string, id: string | undefined) => void,
): ((piece: string) => void) => {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      let event = '';
      let data = '';
      let id: string | undefined;
      for (const line of block.split('\n')) {
        if (line.startsWith('event: ')) event = line.slice(7);
        else if (line.startsWith('data: ')) data = line.slice(6);
        else if (line.startsWith('id:')) id = line.slice(3).trim();
      }
      if (event !== '') hear(event, data, id);
    }
  };
};
