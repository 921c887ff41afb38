import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The codings we answer with, the smaller one first. */
const codings = ['br', 'gzip'] as const;
export type Coding = (typeof codings)[number];

export type CompressedFile = { readonly coding: Coding; readonly bytes: Uint8Array<ArrayBuffer> };

const pack: Readonly<Record<Coding, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 9,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
};

/** Below this, headers outweigh what is saved. */
const worthwhileBytes = 1_024;
/** Variants kept: a few builds' files in two codings. */
const mostKept = 200;

/** The coding that a client takes, by its `Accept-Encoding`; `q=0` refuses one. */
export const codingFor = (accepted: string | null): Coding | undefined => {
  const taken = new Map(
    (accepted ?? '').split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
      return [name, !refused] as const;
    }),
  );
  return codings.find((coding) => taken.get(coding) ?? taken.get('*') ?? false);
};

/**
 * Packs files on first demand and keeps them by their etag: a build has few files, and most are asked for by everyone.
 * `undefined` where the client takes no packed form or nothing is saved by it.
 */
export const compressor = () => {
  const kept = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  const packed = (name: string, coding: Coding, bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> => {
    const known = kept.get(name);
    if (known !== undefined) return known;
    const made = pack[coding](bytes).then((result) => new Uint8Array(result));
    kept.set(name, made);
    for (const oldest of kept.keys()) {
      if (kept.size <= mostKept) break;
      kept.delete(oldest);
    }
    return made;
  };
  return async (
    etag: string,
    bytes: Uint8Array,
    accepted: string | null,
  ): Promise<CompressedFile | undefined> => {
    const coding = codingFor(accepted);
    if (coding === undefined || bytes.length < worthwhileBytes) return undefined;
    const result = await packed(`${coding} ${etag}`, coding, bytes);
    return result.length < bytes.length ? { coding, bytes: result } : undefined;
  };
};
