import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the stand-in does with the next request: a model's words, another status, or nothing at all. */
export type Behaviour =
  { readonly say: string } | { readonly status: number; readonly body: string } | { readonly hang: true };

export type ModelDouble = {
  readonly url: string;
  readonly heard: string[];
  readonly next: (behaviour: Behaviour) => void;
  readonly stop: () => Promise<void>;
};

const completion = (content: string): string =>
  JSON.stringify({
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'double',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 },
  });

/** A small program that speaks an OpenAI-compatible endpoint's HTTP and says whatever a test wants it to. */
export const modelDouble = async (): Promise<ModelDouble> => {
  let behaviour: Behaviour = { say: '{"intent":"none"}' };
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      heard.push(Buffer.concat(parts).toString());
      if ('hang' in behaviour) return;
      if ('status' in behaviour) {
        response.writeHead(behaviour.status, { 'content-type': 'text/html' }).end(behaviour.body);
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(completion(behaviour.say));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    heard,
    next: (next) => {
      behaviour = next;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
