import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the stand-in does with the next request: a model's words, another status, or nothing at all. */
export type Behaviour =
  { readonly say: string } | { readonly status: number; readonly body: string } | { readonly hang: true };

export type ModelDouble = {
  /** Both APIs are at it: what is asked for says which one answers. */
  readonly url: string;
  readonly heard: string[];
  /** The paths asked for, with the key that came along. */
  readonly asked: { readonly path: string; readonly key: string | undefined }[];
  readonly next: (behaviour: Behaviour) => void;
  readonly stop: () => Promise<void>;
};

const chatCompletion = (content: string): string =>
  JSON.stringify({
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'double',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 },
  });

const anthropicMessage = (text: string): string =>
  JSON.stringify({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'double',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 120, output_tokens: 30 },
  });

const shapes: Readonly<Record<string, (said: string) => string>> = {
  '/v1/chat/completions': chatCompletion,
  '/v1/messages': anthropicMessage,
};

/** A small program that speaks the HTTP of both kinds of endpoint and says whatever a test wants it to. */
export const modelDouble = async (): Promise<ModelDouble> => {
  let behaviour: Behaviour = { say: '{"intent":"none"}' };
  const heard: string[] = [];
  const asked: { path: string; key: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const path = request.url ?? '';
      const key = request.headers['x-api-key'] ?? request.headers.authorization;
      heard.push(Buffer.concat(parts).toString());
      asked.push({ path, key: String(key) });
      if ('hang' in behaviour) return;
      if ('status' in behaviour) {
        response.writeHead(behaviour.status, { 'content-type': 'text/html' }).end(behaviour.body);
        return;
      }
      const shape = shapes[path];
      if (shape === undefined) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(shape(behaviour.say));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    heard,
    asked,
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
