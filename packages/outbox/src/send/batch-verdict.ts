import { commandResultSchema } from '@holdfast/operation';
import * as z from 'zod/mini';
import { classifyRequest, classifyResult, kept, parsedJson } from './verdict.ts';
import type { Classified, Delivery, Kept } from './verdict.ts';

export type Asked = { readonly commandId: string; readonly operationId: string };

/** `whole`: the answer says nothing of any one command. `each`: one outcome a command, in the order they were asked. */
export type BatchClassified =
  | { readonly kind: 'whole'; readonly kept: Kept }
  | { readonly kind: 'each'; readonly outcomes: readonly Classified[] };

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

const outcomeOf = (named: ReadonlyMap<string, unknown[]>, asked: Asked, status: number): Classified => {
  const results = named.get(asked.commandId) ?? [];
  if (results.length === 0) return kept('not-understood', status, 'it does not name the command');
  // Two different words on one command are no word.
  if (results.length > 1 && new Set(results.map((result) => JSON.stringify(result))).size > 1) {
    return kept('not-understood', status, 'it names the command twice, with different verdicts');
  }
  const read = commandResultSchema.safeParse(results[0]);
  if (!read.success) return kept('not-understood', status, 'its result cannot be read');
  if (read.data.operation !== undefined && read.data.operation.id !== asked.operationId) {
    return kept('not-understood', status, 'it is about another operation');
  }
  return classifyResult(read.data, status);
};

/** What to make of the answer to a request that carried these commands. Pure; the default is to keep. */
export const classifyBatch = (
  delivery: Delivery,
  asked: readonly Asked[],
  nowMs: number,
): BatchClassified => {
  const request = classifyRequest(delivery, nowMs);
  if (request.kind === 'kept') return { kind: 'whole', kept: request };
  const body = looseResultsSchema.safeParse(parsedJson(request.text));
  if (!body.success) {
    return { kind: 'whole', kept: kept('not-understood', request.status, 'not a list of results') };
  }
  const named = byCommand(body.data.results);
  if (!asked.some(({ commandId }) => named.has(commandId))) {
    return { kind: 'whole', kept: kept('not-understood', request.status, 'it names none of the commands') };
  }
  return { kind: 'each', outcomes: asked.map((one) => outcomeOf(named, one, request.status)) };
};

/** The same for a request that carried one command. */
export const classify = (delivery: Delivery, asked: Asked, nowMs: number): Classified => {
  const classified = classifyBatch(delivery, [asked], nowMs);
  const [outcome] = classified.kind === 'each' ? classified.outcomes : [classified.kept];
  return outcome ?? kept('not-understood');
};
