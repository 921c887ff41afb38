import type { Cancellation } from '../ports.ts';
import type { Words } from '../queue/words.ts';
import type { Transport } from './transport.ts';
import { parsedJson, reasonForNothing } from './verdict.ts';
import type { Delivery, Kept } from './verdict.ts';
import type { LookUpLanguage, WireLanguage } from './wire-language.ts';

export const operationsPerLookUp = 500;

export type LookedUp<W extends Words = Words> =
  { readonly kind: 'told'; readonly operations: ReadonlyMap<string, W['told'] | null> } | Kept;

const isJson = (delivery: Extract<Delivery, { kind: 'answered' }>): boolean =>
  (delivery.contentType ?? '').split(';')[0]?.trim().toLowerCase() === 'application/json';

type LookUpWorld<W extends Words> = {
  readonly wire: WireLanguage<W>;
  readonly transport: Transport;
  readonly timeoutMs: number;
  readonly subject?: string | null;
  readonly nowMs: () => number;
  readonly cancellation: Cancellation;
};

const readAnswer = <W extends Words>(
  { wire, nowMs }: LookUpWorld<W>,
  language: LookUpLanguage<W>,
  delivery: Delivery,
): LookedUp<W> => {
  if (delivery.kind === 'answered' && delivery.status === 200 && !delivery.redirected && isJson(delivery)) {
    const operations = language.read(parsedJson(delivery.text));
    if (operations !== undefined) return { kind: 'told', operations };
  }
  return reasonForNothing(wire, delivery, nowMs());
};

/** Asks the server what it holds under these IDs, in as many requests as it takes. Stops at the first failure. */
export const lookUp = async <W extends Words>(
  world: LookUpWorld<W>,
  ids: readonly string[],
): Promise<LookedUp<W>> => {
  const told = new Map<string, W['told'] | null>();
  const language = world.wire.lookUp;
  if (language === null) return { kind: 'told', operations: told };
  for (let from = 0; from < ids.length; from += operationsPerLookUp) {
    const body = language.textOf(ids.slice(from, from + operationsPerLookUp));
    const request = { path: language.path, body, protocol: language.protocol };
    const delivery = await world.transport.send(
      { ...request, timeoutMs: world.timeoutMs, subject: world.subject ?? null },
      world.cancellation,
    );
    const answer = readAnswer(world, language, delivery);
    if (answer.kind === 'kept') return answer;
    for (const [id, operation] of answer.operations) told.set(id, operation);
  }
  return { kind: 'told', operations: told };
};
