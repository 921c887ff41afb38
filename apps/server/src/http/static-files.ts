import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { compressor, type Coding } from './compressed-file.ts';
import { appPolicy, pagePolicy } from './security-headers.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.map': 'application/json',
};

type StoredFile = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  readonly mtimeMs: number;
};

/** The web app's build, and the one before it: a tab that was opened before an update still finds its parts. */
export type StaticFolders = { readonly current: string; readonly previous: string };

/** Vite names these by their contents, so they never change. */
const isHashed = (urlPath: string): boolean => /^\/assets\/.+-[\w-]{8,}\.\w+$/.test(urlPath);

const isInside = (folder: string, file: string): boolean => file.startsWith(folder + path.sep);

/** Reads files, keeping what it read until the file changes. */
const fileReader = () => {
  const kept = new Map<string, StoredFile>();
  return async (folder: string, urlPath: string): Promise<StoredFile | undefined> => {
    const file = path.join(folder, urlPath);
    if (!isInside(folder, file)) return undefined;
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() !== true) return undefined;
    const known = kept.get(file);
    if (known?.mtimeMs === found.mtimeMs) return known;
    const bytes = new Uint8Array(await readFile(file));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
    const stored = { bytes, etag, mtimeMs: found.mtimeMs };
    kept.set(file, stored);
    return stored;
  };
};

/** Already packed formats gain nothing by being packed again. */
const isCompressible = (type: string): boolean => /^text\/|json$|svg\+xml$/.test(type);

const codedEtag = (etag: string, coding: Coding): string => `${etag.slice(0, -1)}-${coding}"`;

const answer = async (
  request: Request,
  urlPath: string,
  file: StoredFile,
  compress: ReturnType<typeof compressor>,
): Promise<Response> => {
  const type = types[path.extname(urlPath)] ?? 'application/octet-stream';
  const packed = isCompressible(type)
    ? await compress(file.etag, file.bytes, request.headers.get('accept-encoding'))
    : undefined;
  const etag = packed === undefined ? file.etag : codedEtag(file.etag, packed.coding);
  const headers: Record<string, string> = {
    'content-type': type,
    etag,
    ...(isCompressible(type) ? { vary: 'accept-encoding' } : {}),
    ...(packed === undefined ? {} : { 'content-encoding': packed.coding }),
    'cache-control': isHashed(urlPath) ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
  if (type.startsWith('text/html')) {
    headers['content-security-policy'] = appPolicy(new TextDecoder().decode(file.bytes));
  } else if (type.startsWith('text/javascript')) {
    // A worker is governed by the policy its own script came with.
    headers['content-security-policy'] = pagePolicy('');
  }
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers });
  return new Response(packed?.bytes ?? file.bytes, { headers });
};

const decodePath = (request: Request): string | undefined => {
  try {
    const decoded = decodeURIComponent(new URL(request.url).pathname);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
};

export type ServeStatic = (request: Request) => Promise<Response | undefined>;

/** Whether a folder of the build, this one or the one before, begins this address. */
const isInFolderOfBuild = async (folders: StaticFolders, segments: readonly string[]): Promise<boolean> => {
  const [first = ''] = segments;
  const found = await Promise.all(
    [folders.current, folders.previous].map((folder) =>
      stat(path.join(folder, first)).catch(() => undefined),
    ),
  );
  return found.some((one) => one?.isDirectory() === true);
};

/**
 * Whether an address is one of the app's screens. Screens carry IDs from outside, which may have dots (`/orders/A.1`),
 * so only an address at the top, or in a folder of the build, is taken for a file by its extension.
 */
const isScreen = async (folders: StaticFolders, urlPath: string): Promise<boolean> => {
  if (path.extname(urlPath) === '') return true;
  const segments = urlPath.split('/').slice(1);
  if (segments.length < 2 || segments.some((segment) => /^\.{0,2}$/.test(segment))) return false;
  return !(await isInFolderOfBuild(folders, segments));
};

/**
 * Serves the web app. A screen's address gets the page itself; a missing file is `undefined` (a 404), never the page: a
 * script that is HTML would break an old tab in silence.
 */
export const staticFiles = (folders: StaticFolders): ServeStatic => {
  const read = fileReader();
  const compress = compressor();
  return async (request) => {
    const urlPath = decodePath(request);
    if (urlPath === undefined) return undefined;
    const wanted = (await isScreen(folders, urlPath)) ? '/index.html' : urlPath;
    const file =
      (await read(folders.current, wanted)) ??
      (isHashed(wanted) ? await read(folders.previous, wanted) : undefined);
    return file === undefined ? undefined : answer(request, wanted, file, compress);
  };
};
