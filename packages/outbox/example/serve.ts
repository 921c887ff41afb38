import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createVite } from 'vite';
import { createReadingsServer } from './readings-server.ts';

/** The page and its server, at one address. */
export const serveExample = async (file: string, port = 0) => {
  const readings = createReadingsServer(file);
  const vite = await createVite({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'error',
    server: { middlewareMode: true, hmr: false, watch: null },
    appType: 'mpa',
    optimizeDeps: { include: ['dexie', 'zod/mini'] },
  });
  const server = createServer((request, response) => {
    if (request.method === 'POST' && request.url === '/readings') {
      readings.serve(request, response).catch(() => response.destroy());
    } else vite.middlewares(request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await vite.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, readings, close };
};
