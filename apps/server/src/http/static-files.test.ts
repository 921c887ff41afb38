import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appRig } from '../../test/app-rig.ts';
import { engineDouble } from '../../test/engine-double.ts';
import { staticFiles } from './static-files.ts';

let folder = '';
const longScript = 'export const words = "Saved on this device";\n'.repeat(200);
const inline = "document.documentElement.dataset.theme = 'dark';";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'holdfast-static-'));
  const put = async (file: string, text: string): Promise<void> => {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  };
  await put(
    'current/index.html',
    `<!doctype html><script>${inline}</script><script src="/assets/app-AbCd1234.js"></script>`,
  );
  await put('current/service-worker.js', 'self.skipWaiting');
  await put('current/assets/app-AbCd1234.js', 'current');
  await put('previous/assets/app-OldOld99.js', 'previous');
  await put('current/assets/long-LoNg1234.js', longScript);
  await put('secret.txt', 'secret');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const rig = (publicOrigin?: string) =>
  appRig({
    engine: engineDouble().engine,
    serveStatic: staticFiles({
      current: path.join(folder, 'current'),
      previous: path.join(folder, 'previous'),
    }),
    ...(publicOrigin === undefined ? {} : { publicOrigin }),
  });

describe("the web app's files", () => {
  it('a screen’s address gets the page, which is asked for anew each time', async () => {
    // Red when: whatever has a dot is taken for a file.
    for (const address of [
      '/',
      '/orders/10000',
      '/orders/A.1',
      '/orders/A.1/refund',
      '/orders/..A.js',
      '/set-password?token=x',
    ]) {
      const response = await rig().ask('GET', address);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('content-type')).toContain('text/html');
    }
    const worker = await rig().ask('GET', '/service-worker.js');
    expect(worker.headers.get('cache-control')).toBe('no-cache');
  });

  // Red when: the packed form has the plain one's etag (a cache would mix them), or no `vary`.
  it('scripts go out packed to who takes that, under an etag of their own', async () => {
    const address = '/assets/long-LoNg1234.js';
    const plain = await rig().ask('GET', address);
    const packed = await rig().ask('GET', address, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(packed.headers.get('content-encoding')).toBe('br');
    expect(packed.headers.get('vary')).toBe('accept-encoding');
    expect(brotliDecompressSync(await packed.arrayBuffer()).toString()).toBe(longScript);
    expect(await plain.text()).toBe(longScript);
    const etag = packed.headers.get('etag') ?? '';
    expect(etag).not.toBe(plain.headers.get('etag'));
    const again = await rig().ask('GET', address, {
      headers: { 'accept-encoding': 'gzip, br', 'if-none-match': etag },
    });
    expect(again.status).toBe(304);
  });

  it('what is named by its contents is kept for ever, the build before included', async () => {
    for (const [address, text] of [
      ['/assets/app-AbCd1234.js', 'current'],
      ['/assets/app-OldOld99.js', 'previous'],
    ] as const) {
      const response = await rig().ask('GET', address);
      expect(await response.text()).toBe(text);
      expect(response.headers.get('cache-control')).toContain('immutable');
    }
  });

  it('a file that does not exist is a 404 problem, never the page', async () => {
    for (const address of [
      '/assets/app-Gone0000.js',
      '/assets/deep/gone.js',
      '/favicon.png',
      '/orders/../gone.js',
      '/v1/unknown',
      '/api/auth/unknown',
    ]) {
      const response = await rig().ask('GET', address);
      expect(response.status, address).toBe(404);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
    }
  });

  // Red when: `isInside` is left out.
  it('nothing outside the folder is served', async () => {
    for (const address of [
      '/..%2fsecret.txt',
      '/%2e%2e/secret.txt',
      '/assets/..%2f..%2f..%2fsecret.txt',
      '/%00.txt',
      '/%zz.txt',
    ]) {
      const response = await rig().ask('GET', address);
      expect(await response.text()).not.toContain('secret"');
      expect(response.status, address).toBe(404);
    }
  });

  it('the same again is 304', async () => {
    const first = await rig().ask('GET', '/');
    const again = await rig().ask('GET', '/', {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
  });
});

describe('security headers', () => {
  it('the page runs its own scripts alone: no unsafe-inline, only the hash of what is in it', async () => {
    const policy = (await rig().ask('GET', '/')).headers.get('content-security-policy') ?? '';
    const hash = createHash('sha256').update(inline).digest('base64');
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
  });

  // Red when: a page or a worker's script comes without Trusted Types, or may make more policies than it needs.
  it('no string becomes script: the app makes two policies by name, a page without script and a worker none', async () => {
    const policyOf = async (address: string) =>
      (await rig().ask('GET', address)).headers.get('content-security-policy') ?? '';
    const own = "require-trusted-types-for 'script'; trusted-types ";
    expect(await policyOf('/')).toMatch(new RegExp(`${own}svelte-trusted-html holdfast-service-worker$`));
    for (const address of ['/docs', '/service-worker.js']) {
      expect(await policyOf(address), address).toMatch(new RegExp(`${own}'none'$`));
    }
  });

  it('stand on every answer, errors too; HSTS only where the origin is https', async () => {
    for (const address of ['/', '/healthz', '/v1/me', '/v1/unknown', '/docs', '/openapi.json']) {
      const { headers } = await rig().ask('GET', address);
      expect(headers.get('x-content-type-options'), address).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('permissions-policy')).toContain('camera=()');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('strict-transport-security')).toBeNull();
    }
    const secure = await rig('https://refunds.example.org').ask('GET', '/healthz');
    expect(secure.headers.get('strict-transport-security')).toContain('max-age=');
  });
});

describe('the contract, shown', () => {
  it('every route stands in openapi.json with its schemas, and in /docs, which loads nothing from elsewhere', async () => {
    const made = rig();
    const document = (await (await made.ask('GET', '/openapi.json')).json()) as {
      openapi: string;
      paths: Record<string, Record<string, { requestBody?: unknown }>>;
      components: { schemas: Record<string, unknown> };
    };
    expect(document.openapi).toBe('3.1.0');
    for (const { method, path: route } of made.routes)
      expect(document.paths[route]?.[method], route).toBeDefined();
    expect(Object.keys(document.components.schemas)).toEqual([
      'Problem',
      'Operation',
      'Order',
      'Ticket',
      'Command',
    ]);
    const text = JSON.stringify(document);
    for (const [reference] of text.matchAll(/#\/components\/schemas\/\w+/g)) {
      expect(document.components.schemas[reference.split('/').at(-1) ?? '']).toBeDefined();
    }
    expect(text).not.toContain('#/$defs/');
    expect(text).toContain('"enum":["returned"');
    const page = await (await made.ask('GET', '/docs')).text();
    for (const { path: route } of made.routes) expect(page).toContain(route);
    expect(page).not.toMatch(/<script|https?:\/\/(?!localhost)[^"<\s]*\.(js|css)/);
  });
});
