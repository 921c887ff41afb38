import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { codingFor, compressor } from './compressed-file.ts';

// Red when: a refused coding is used, or none is found behind a list with weights.
it.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=0.8', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['BR', 'br'],
  ['*', 'br'],
  ['*, br;q=0.0', 'gzip'],
  ['identity', undefined],
  ['', undefined],
  [null, undefined],
])('a client that accepts %s is answered with %s', (accepted, coding) => {
  expect(codingFor(accepted)).toBe(coding);
});

// Red when: what is kept under one coding is given out under the other.
it('what is packed is the same again when unpacked, in either coding', async () => {
  const compress = compressor();
  const bytes = new TextEncoder().encode('Saved on this device. '.repeat(500));
  const brotli = await compress('"one"', bytes, 'br');
  const zipped = await compress('"one"', bytes, 'gzip');
  expect(new Uint8Array(brotliDecompressSync(brotli?.bytes ?? ''))).toEqual(bytes);
  expect(new Uint8Array(gunzipSync(zipped?.bytes ?? ''))).toEqual(bytes);
  expect(brotli?.bytes.length).toBeLessThan(bytes.length);
});

// Red when: small files are packed, which makes them larger.
it('what would not become smaller is sent as it is', async () => {
  expect(await compressor()('"one"', new TextEncoder().encode('short'), 'br')).toBeUndefined();
});
