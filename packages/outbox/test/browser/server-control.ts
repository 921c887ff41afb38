import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Operation } from '@holdfast/operation';
import type { TestProject } from 'vitest/node';
import { PretendServer } from './pretend-server.ts';
import type { ServerFault } from './pretend-server.ts';
import { PretendProxy } from './pretend-proxy.ts';
import type { ProxyManners } from './pretend-proxy.ts';

/** What a test in the browser tells its server, which lives outside of it. */
export type ServerOrder =
  | { readonly do: 'create' }
  | { readonly do: 'close' | 'listen' | 'report' | 'drop-feeds' | 'forget-everything' }
  | { readonly do: 'faults'; readonly faults: ServerFault[] }
  | { readonly do: 'feed' | 'greeting'; readonly text: string }
  | { readonly do: 'mute-streams'; readonly isMute: boolean }
  /** A proxy in front of the server, or other manners of the one that is there. */
  | { readonly do: 'proxy'; readonly manners: ProxyManners }
  | { readonly do: 'portal'; readonly portal: PretendServer['portal'] }
  | { readonly do: 'feed-status'; readonly status: number }
  | { readonly do: 'change'; readonly id: string; readonly change: Partial<Operation> };

declare module 'vitest' {
  interface ProvidedContext {
    serverControl: string;
    useLocks: boolean;
  }
}

const proxies = new Map<PretendServer, { readonly proxy: PretendProxy; readonly url: string }>();

const standBetween = async (server: PretendServer, manners: ProxyManners): Promise<string> => {
  const known = proxies.get(server);
  if (known) {
    known.proxy.manners = manners;
    return known.url;
  }
  const proxy = new PretendProxy(server.url, manners);
  const url = await proxy.listen();
  proxies.set(server, { proxy, url });
  return url;
};

const carryOut = async (server: PretendServer, order: ServerOrder): Promise<unknown> => {
  switch (order.do) {
    case 'create':
    case 'listen':
      return server.listen();
    case 'close':
      return server.close();
    case 'report':
      return server.report();
    case 'drop-feeds':
      return server.feed.drop();
    case 'forget-everything':
      return server.holdfast.forgetEverything();
    case 'faults':
      return server.faults.splice(0, server.faults.length, ...order.faults);
    case 'portal':
      server.portal = order.portal;
      return null;
    case 'feed':
      return server.feed.tell(order.text);
    case 'greeting':
      server.feed.greeting = order.text;
      return null;
    case 'mute-streams':
      server.feed.isMute = order.isMute;
      return null;
    case 'proxy':
      return standBetween(server, order.manners);
    case 'feed-status':
      server.feedStatus = order.status;
      return null;
    case 'change':
      return server.holdfast.change(order.id, order.change);
  }
};

/** One control server for the run; each test creates a pretend server of its own through it. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const servers = new Map<string, PretendServer>();
  const control = createServer((request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', '*');
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString();
      if (text === '') {
        response.end();
        return;
      }
      const { name, order } = JSON.parse(text) as { name: string; order: ServerOrder };
      const server = servers.get(name) ?? new PretendServer();
      servers.set(name, server);
      carryOut(server, order)
        .then((answer) => response.end(JSON.stringify(answer ?? null)))
        .catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
  });
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve));
  project.provide('serverControl', `http://127.0.0.1:${(control.address() as AddressInfo).port}`);
  return async () => {
    for (const { proxy } of proxies.values()) await proxy.close();
    for (const server of servers.values()) await server.close();
    control.closeAllConnections();
    await new Promise((resolve) => control.close(resolve));
  };
};
