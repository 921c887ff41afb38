import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Hono } from 'hono';
import { z } from 'zod';
import { origin } from '../house-rig.ts';

const structured = z.looseObject({
  operationId: z.string().optional(),
  state: z.string().optional(),
  mayRepeat: z.literal(false).optional(),
  outcome: z.string().optional(),
  amountInWords: z.string().optional(),
  problem: z.looseObject({ slug: z.string().optional(), detail: z.string().optional() }).optional(),
});
export type Told = z.infer<typeof structured> & { readonly isError: boolean; readonly text: string };

export type Assistant = {
  readonly client: Client;
  readonly call: (tool: string, given: Record<string, unknown>) => Promise<Told>;
};

/** The official client, over HTTP as the app serves it. */
export const assistantOf = async (app: Hono, headers: Record<string, string>): Promise<Assistant> => {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
    fetch: async (url, init) => app.request(url instanceof URL ? url.href : url, init),
    requestInit: { headers },
  });
  await client.connect(transport);
  return {
    client,
    call: async (name, given) => {
      const answer = await client.callTool({ name, arguments: given });
      const content = z.array(z.looseObject({ text: z.string().optional() })).parse(answer.content);
      return {
        ...structured.parse(answer.structuredContent ?? {}),
        isError: answer.isError === true,
        text: content[0]?.text ?? '',
      };
    },
  };
};

export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
