import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, createServer, request as ask } from 'node:http';
import path from 'node:path';
import { startFaultProxy, type FaultProxy } from './fault-proxy.ts';
import { repositoryRoot } from './program.ts';

/** A build of the web app as it lies on a server, by path. */
export type Build = ReadonlyMap<string, Buffer>;

/** A network with faults, behind which the server can be made to serve another build of the web app. */
export type DeployingNetwork = FaultProxy & {
  /** From now on these are the web app's files: none of another build is served any more. */
  readonly deploy: (build: Build) => void;
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const distFolder = path.join(repositoryRoot, 'apps/web/dist');

/** Eight characters, of which any may be a dash. */
const hashOfName = /-[\w-]{8}\.js$/;

/**
 * The next build: every script of it has another name and other contents, as when a part changed that all of them
 * use. It says so as `globalThis.holdfastBuild`.
 */
export const nextBuild = async (): Promise<Build> => {
  const assets = await readdir(path.join(distFolder, 'assets'));
  const read = (name: string): Promise<string> => readFile(path.join(distFolder, name), 'utf8');
  const [page, worker] = await Promise.all([read('index.html'), read('service-worker.js')]);
  // What earlier builds left lies there as well.
  const scripts = assets.filter((name) => name.endsWith('.js') && worker.includes(name));
  const rename = (text: string): string =>
    scripts.reduce((all, name) => all.replaceAll(name, name.replace(hashOfName, '-NextNext.js')), text);
  const kept = scripts.filter((name) => rename(name) === name);
  if (kept.length > 0) throw new Error(`another build gives these scripts the same name: ${kept.join(', ')}`);
  const entry = /src="\/assets\/([^"]+\.js)"/.exec(page)?.[1];
  const files = new Map<string, Buffer>();
  for (const name of scripts) {
    const mark = name === entry ? 'globalThis.holdfastBuild=2;\n' : '/* the next build */\n';
    files.set(`/assets/${rename(name)}`, Buffer.from(mark + rename(await read(`assets/${name}`))));
  }
  files.set('/index.html', Buffer.from(rename(page)));
  const anotherRevision = rename(worker).replaceAll(
    /("?revision"?:\s*["`])([0-9a-f]{8})/g,
    (_whole, before: string, hash: string) => before + [...hash].reverse().join(''),
  );
  files.set('/service-worker.js', Buffer.from(anotherRevision));
  return files;
};

export const startDeployingNetwork = async (serverPort: number): Promise<DeployingNetwork> => {
  let build: Build | null = null;
  const agent = new Agent({ keepAlive: false });
  const front = createServer((incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://front.invalid');
    const isScript = pathname.startsWith('/assets/') && pathname.endsWith('.js');
    const file = build?.get(pathname === '/' ? '/index.html' : pathname);
    if (file !== undefined) {
      const type = types[path.extname(pathname)] ?? types['.html'];
      return void outgoing.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' }).end(file);
    }
    if (build !== null && isScript) return void outgoing.writeHead(404).end();
    const { method, headers } = incoming;
    const upstream = ask(
      { agent, host: '127.0.0.1', port: serverPort, path: incoming.url, method, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
        outgoing.on('close', () => answer.destroy());
      },
    );
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  const address = front.address();
  if (address === null || typeof address === 'string') throw new Error('the front has no port');
  const network = await startFaultProxy(address.port);
  return {
    ...network,
    deploy: (next) => {
      build = next;
    },
    close: async () => {
      await network.close();
      front.closeAllConnections();
      front.close();
    },
  };
};
