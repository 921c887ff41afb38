import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Configuration } from './configuration.ts';
import { apiRoutes } from './http/api-routes.ts';
import { controlRoutes } from './http/control-routes.ts';
import { pageRoutes } from './http/page-routes.ts';
import { sameOriginOnly } from './http/same-origin.ts';
import { settleRefunds } from './settle-refunds.ts';
import { startSender } from './webhooks/sender.ts';
import { openWorld, type World } from './world.ts';

export interface Program {
  port: number;
  stop(): Promise<void>;
}

const largestBody = 1024 * 1024;

/** `onBroken`: the disk refused the journal. Memory is ahead of it now, so the program must not answer on. */
export async function startProgram(
  configuration: Configuration,
  onBroken: (problem: unknown) => void,
): Promise<Program> {
  const { promise: ready, open } = gate();
  const server = createServer((incoming, outgoing) => {
    void ready.then((answer) => answer(incoming, outgoing));
  });
  // Longer than any client keeps an idle connection, so that none is cut without a fault having asked for it.
  server.keepAliveTimeout = 75_000;
  // First the port, then the journal: a second copy must fail before it touches the first one's file.
  await listen(server, configuration);
  const world = await openWorld(configuration.dataFolder, onBroken);
  if (configuration.webhook !== null) {
    await world.commit([{ kind: 'endpoint.set', endpoint: configuration.webhook }]);
  }
  const sender = startSender(world);
  const settling = settleRefunds(world);
  open(getRequestListener(application(world, sender.deliverFirst).fetch));
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      sender.stop();
      settling.stop();
      const closed = new Promise((resolve) => server.close(resolve));
      // Answers that hang or drip on purpose would keep the server open for ever.
      server.closeAllConnections();
      await closed;
      await world.close();
    },
  };
}

type Listener = ReturnType<typeof getRequestListener>;

/** Requests that arrive while the journal is still being read wait for it. */
function gate(): { promise: Promise<Listener>; open: (listener: Listener) => void } {
  let open: (listener: Listener) => void = () => undefined;
  const promise = new Promise<Listener>((resolve) => {
    open = resolve;
  });
  return { promise, open: (listener) => open(listener) };
}

function application(
  world: World,
  deliverFirst: Parameters<typeof apiRoutes>[1],
): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(
    bodyLimit({
      maxSize: largestBody,
      onError: (context) => {
        const message = 'The request body is larger than 1 MB.';
        return context.json({ error: { type: 'invalid_request_error', message } }, 413);
      },
    }),
  );
  app.route('/', apiRoutes(world, deliverFirst));
  app.use('/fake/*', sameOriginOnly);
  app.route('/', controlRoutes(world));
  app.route('/', pageRoutes(world));
  return app;
}

function taken(problem: Error): boolean {
  return 'code' in problem && problem.code === 'EADDRINUSE';
}

const takenWords = (host: string, port: number) =>
  `FAKE_STRIPE_PORT: ${host}:${port} is taken. Is a fake Stripe running already?`;

function listen(server: Server, { host, port }: Configuration): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (problem) => reject(taken(problem) ? new Error(takenWords(host, port)) : problem));
    server.listen(port, host, resolve);
  });
}
