import * as z from 'zod/mini';
import { classifyRequest, classifyResult, kept, parsedJson } from './verdict.ts';
import type { Classified, Delivery, Kept } from './verdict.ts';
import type { Words } from '../queue/words.ts';
import type { WireLanguage } from './wire-language.ts';

export type Asked = { readonly commandId: string; readonly operationId: string };

/** `whole`: the answer says nothing of any one command. `each`: one outcome a command, in the order they were asked. */
export type BatchClassified<W extends Words = Words> =
  | { readonly kind: 'whole'; readonly kept: Kept }
  | { readonly kind: 'each'; readonly outcomes: readonly Classified<W>[] };

/** Read loosely, so that one result that cannot be read spoils no other's. */
const looseResultsSchema = z.object({ results: z.array(z.unknown()) });
const namedSchema = z.object({ commandId: z.string() });

const byCommand = (results: readonly unknown[]): ReadonlyMap<string, unknown[]> => {
  const named = new Map<string, unknown[]>();
  for (const raw of results) {
    const read = namedSchema.safeParse(raw);
    if (!read.success) continue;
    const { commandId } = read.data;
    const texts = named.get(commandId);
    if (texts === undefined) named.set(commandId, [raw]);
    else texts.push(raw);
  }
  return named;
};

const outcomeOf = <W extends Words>(
  wire: WireLanguage<W>,
  named: ReadonlyMap<string, unknown[]>,
  asked: Asked,
  status: number,
): Classified<W> => {
  const results = named.get(asked.commandId) ?? [];
  if (results.length === 0) return kept('not-understood', status, 'it does not name the command');
  // Two different words on one command are no word.
  if (results.length > 1 && new Set(results.map((result) => JSON.stringify(result))).size > 1) {
    return kept('not-understood', status, 'it names the command twice, with different verdicts');
  }
  const result = wire.readResult(results[0]);
  if (result === undefined) return kept('not-understood', status, 'its result cannot be read');
  if (result.operation !== undefined && result.operation.id !== asked.operationId) {
    return kept('not-understood', status, 'it is about another operation');
  }
  return classifyResult(wire, result, status);
};

/** What to make of the answer to a request that carried these commands. Pure; the default is to keep. */
export const classifyBatch = <W extends Words>(
  wire: WireLanguage<W>,
  delivery: Delivery,
  asked: readonly Asked[],
  nowMs: number,
): BatchClassified<W> => {
  const request = classifyRequest(wire, delivery, nowMs);
  if (request.kind === 'kept') return { kind: 'whole', kept: request };
  const body = looseResultsSchema.safeParse(parsedJson(request.text));
  if (!body.success) {
    return { kind: 'whole', kept: kept('not-understood', request.status, 'not a list of results') };
  }
  const named = byCommand(body.data.results);
  if (!asked.some(({ commandId }) => named.has(commandId))) {
    return { kind: 'whole', kept: kept('not-understood', request.status, 'it names none of the commands') };
  }
  return { kind: 'each', outcomes: asked.map((one) => outcomeOf(wire, named, one, request.status)) };
};

/** The same for a request that carried one command. */
export const classify = <W extends Words>(
  wire: WireLanguage<W>,
  delivery: Delivery,
  asked: Asked,
  nowMs: number,
): Classified<W> => {
  const classified = classifyBatch(wire, delivery, [asked], nowMs);
  const [outcome] = classified.kind === 'each' ? classified.outcomes : [classified.kept];
  return outcome ?? kept('not-understood');
};
