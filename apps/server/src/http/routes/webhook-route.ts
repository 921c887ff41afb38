import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Engine } from '@holdfast/engine';
import { Counter, type Registry } from 'prom-client';
import { z } from 'zod';
import { refuse, unreadable } from '../problem.ts';
import { json, type Route } from '../route.ts';

const webhookBytes = 1024 * 1024;

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const;

/** Why an event is refused, zeros included from the start: what an alert watches must exist before it happens. */
const refusals = ['no-signature', 'bad-signature', 'too-old', 'from-the-future', 'unreadable'] as const;

const isDecoder = (coding: string): coding is keyof typeof decoders => Object.hasOwn(decoders, coding);

/**
 * The bytes that the provider signed: a proxy on the way may have compressed them, and says so. Nothing else is
 * undone: no character set, no JSON.
 */
const signedBytes = async (request: Request, body: Uint8Array): Promise<Uint8Array | undefined> => {
  const coding = (request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase();
  if (coding === 'identity' || coding === '') return body;
  if (!isDecoder(coding)) return undefined;
  try {
    return await decoders[coding](body, { maxOutputLength: webhookBytes });
  } catch (error) {
    const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    if (tooLarge) throw refuse('too-large', `The event may have at most ${String(webhookBytes)} bytes.`);
    return undefined;
  }
};

/** Refusals belong to nobody (no secret names an organisation), so this process counts them. */
const countRefusals = (registry: Registry): ((because: string) => void) => {
  const counter = new Counter({
    name: 'holdfast_webhooks_refused_total',
    help: 'Events refused at the door of this process, by why',
    labelNames: ['because'],
    registers: [registry],
  });
  for (const because of refusals) counter.inc({ because }, 0);
  return (because) => {
    counter.inc({ because });
  };
};

const receivedSchema = z.object({ received: z.literal(true), known: z.boolean() });

export const webhookRoute = (engine: Engine, registry: Registry): Route => {
  const countRefusal = countRefusals(registry);
  const refused = (because: string): never => {
    countRefusal(because);
    throw unreadable(`The event was refused: ${because}.`);
  };
  return {
    method: 'post',
    path: '/v1/webhooks/stripe',
    summary: "Stripe's events. Answered 200 only once the event is stored.",
    needs: 'nobody',
    maximumBytes: webhookBytes,
    answers: { 200: { description: 'Stored, or known already', schema: receivedSchema } },
    handle: async (request, body) => {
      const signed = await signedBytes(request, body);
      if (signed === undefined) return refused('unreadable');
      const signature = request.headers.get('stripe-signature') ?? undefined;
      const answer = await engine.receiveWebhook(signed, signature);
      if (answer.kind === 'refused') return refused(answer.because);
      return json(200, { received: true, known: answer.kind === 'known' });
    },
  };
};
