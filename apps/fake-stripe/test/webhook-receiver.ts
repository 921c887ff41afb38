import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { until } from './until.ts';

export const webhookSecret = 'whsec_contract';

export interface Received {
  event: Stripe.Event;
  genuine: boolean;
  signature: string;
}

/** Stands where Holdfast stands: takes what is sent and checks it with Stripe's own client. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** What to answer next; 200 when there is nothing left. */
  readonly answers: number[] = [];
  /** What came in is answered once this resolves. */
  mayAnswer: Promise<void> = Promise.resolve();
  onReceived: (received: Received) => void = () => undefined;
  private server: Server | null = null;
  private port = 0;

  async start(): Promise<this> {
    const server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        this.take(Buffer.concat(chunks).toString(), String(incoming.headers['stripe-signature']));
        const status = this.answers.shift() ?? 200;
        void this.mayAnswer.then(() => outgoing.writeHead(status).end());
      });
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    return this;
  }

  private take(payload: string, signature: string): void {
    const received = {
      event: JSON.parse(payload) as Stripe.Event,
      genuine: isGenuine(payload, signature),
      signature,
    };
    this.received.push(received);
    this.onReceived(received);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/v1/webhooks/stripe`;
  }

  about(payment: string): Received[] {
    return this.received.filter(({ event }) => paymentOf(event) === payment);
  }

  /** Waits until so many events about a payment have come in. */
  arrived(payment: string, count: number): Promise<Received[]> {
    return until(() => (this.about(payment).length >= count ? this.about(payment) : null));
  }

  async stop(): Promise<void> {
    const { server } = this;
    if (server === null) return;
    this.server = null;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function isGenuine(payload: string, signature: string): boolean {
  try {
    new Stripe('sk_test_receiver').webhooks.constructEvent(payload, signature, webhookSecret);
    return true;
  } catch {
    return false;
  }
}

export function paymentOf(event: Stripe.Event): string | null {
  const { object } = event.data;
  if (!('payment_intent' in object)) return null;
  return typeof object.payment_intent === 'string' ? object.payment_intent : null;
}
