import { Agent, request } from 'node:http';

export type Answer = { readonly status: number; readonly body: unknown };

/** Asks the server as a program with a key, over connections that are kept. */
export type ApiClient = {
  readonly ask: (
    method: 'GET' | 'PUT' | 'POST',
    path: string,
    key: string,
    body?: unknown,
  ) => Promise<Answer>;
  readonly close: () => void;
};

export const openApiClient = (origin: string, connections: number): ApiClient => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    ask: (method, path, key, body) =>
      new Promise((resolve, reject) => {
        const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
        const headers = {
          authorization: `Bearer ${key}`,
          ...(bytes === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': bytes.byteLength }),
        };
        const outgoing = request(`${origin}${path}`, { agent, method, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => (text += chunk));
          response.on('error', reject);
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) });
          });
        });
        outgoing.on('error', reject);
        outgoing.end(bytes);
      }),
    close: () => {
      agent.destroy();
    },
  };
};
