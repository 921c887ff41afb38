import type { SpokenOf } from '@holdfast/assistant';
import type { Outbox } from '@holdfast/outbox';
import { decimalMark } from '../parts/money.ts';
import { catalogueOf, ordersNamedIn, type Beside } from './assistant-catalogue.ts';
import { answeredHere, begunTalk, heard, type Talk } from './assistant-talk.ts';
import { readEvents } from './read-events.ts';
import type { Server } from './server.ts';

export type Asking = {
  readonly text: string;
  readonly atMs: number;
  readonly beside: Beside;
  readonly orderId: string | undefined;
  readonly ticketId: string | undefined;
  readonly before: SpokenOf | undefined;
};

/** Said for each piece of the answer as it comes. */
type OnTalk = (talk: Talk) => void;

/** Whoever has not begun to answer by then is taken for not there, and this device answers by itself. */
const beginsWithinMs = 6_000;
/** A model may take its time; a line that is dead by then is. */
const endsWithinMs = 30_000;

/** `null`: Holdfast was not reached, or did not answer to the end, and nobody stopped it. */
const askHoldfast = async (
  server: Pick<Server, 'stream'>,
  { text, atMs, orderId, ticketId, before }: Asking,
  stop: AbortSignal,
  onTalk: OnTalk,
): Promise<Talk | null> => {
  let talk = begunTalk(text, atMs, 'at-holdfast');
  onTalk(talk);
  const silence = new AbortController();
  const silentAfter = (ms: number) =>
    setTimeout(() => {
      silence.abort();
    }, ms);
  let timer = silentAfter(beginsWithinMs);
  try {
    const asked = { text, orderId, ticketId, before, decimalMark: decimalMark() };
    const body = await server.stream('/v1/assistant', asked, AbortSignal.any([stop, silence.signal]));
    clearTimeout(timer);
    timer = silentAfter(endsWithinMs);
    if (body !== null) {
      await readEvents(body, (event, data) => {
        talk = heard(talk, event, data);
        onTalk(talk);
      });
    }
  } catch {
    // It broke off: half an answer is none.
  } finally {
    clearTimeout(timer);
  }
  if (stop.aborted) return { ...talk, standing: 'stopped', draft: null };
  return talk.standing === 'answered' ? talk : null;
};

const askHere = async (
  outbox: Outbox,
  { text, atMs, beside, orderId, ticketId, before }: Asking,
): Promise<Talk> => {
  // Brought when somebody asks: most who open an order never do.
  const { interpret, sayAnswer } = await import('@holdfast/assistant');
  const named = await ordersNamedIn(outbox, text);
  const circumstances = { orderId, ticketId, before, decimalMark: decimalMark() };
  const answer = interpret(text, catalogueOf(beside, named), circumstances);
  return answeredHere(begunTalk(text, atMs, 'on-the-device'), answer, sayAnswer(answer));
};

/** Brings what answers without a connection, before it is needed. */
export const bringInterpreter = (): void => {
  import('@holdfast/assistant').catch(() => undefined);
};

/** Asks Holdfast, which knows everything; where it cannot be reached this device, by what it has synced. */
export const askAssistant = async (
  { server, outbox }: { readonly server: Pick<Server, 'stream'>; readonly outbox: Outbox },
  asking: Asking,
  stop: AbortSignal,
  onTalk: OnTalk,
): Promise<void> => {
  const told = await askHoldfast(server, asking, stop, onTalk);
  if (told !== null) {
    onTalk(told);
    return;
  }
  try {
    onTalk(await askHere(outbox, asking));
  } catch {
    // The part of the app that reads requests has not come to this device yet.
    onTalk({ ...begunTalk(asking.text, asking.atMs, 'on-the-device'), standing: 'not-here' });
  }
};

/** Conversations of this page's life, each with the screen that it was held beside and whose it is. */
const held = new Map<string, readonly Talk[]>();

export const talksBeside = (subject: string, where: string): readonly Talk[] =>
  held.get(JSON.stringify([subject, where])) ?? [];

export const keepTalks = (subject: string, where: string, talks: readonly Talk[]): void => {
  held.set(JSON.stringify([subject, where]), talks);
};
