import { refuse } from './problem.ts';

const tooLarge = (maximumBytes: number) =>
  refuse('too-large', `The body may have at most ${String(maximumBytes)} bytes.`);

/** Reads a body up to a limit; more is refused without reading on, whatever the request says of its length. */
export const readBody = async (request: Request, maximumBytes: number): Promise<Uint8Array> => {
  const declared = Number(request.headers.get('content-length') ?? '0');
  if (declared > maximumBytes) throw tooLarge(maximumBytes);
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    length += chunk.byteLength;
    if (length > maximumBytes) throw tooLarge(maximumBytes);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
};
