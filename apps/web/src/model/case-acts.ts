import { mintCommandId, operationSchema, type Operation } from '@holdfast/operation';
import type { KeptCommands, SaidOfCase, SaidOfFollowUp } from './kept-command.ts';
import type { Answer, Server } from './server.ts';

export const mintCaseCommand = (): string =>
  mintCommandId(Date.now(), crypto.getRandomValues(new Uint8Array(10)));

/** One act on a case, under the ID that is kept for it: pressed again after a lost answer it is done once. */
export const actOnCase = async (
  server: Server,
  operationId: string,
  said: SaidOfCase,
  commands: KeptCommands,
): Promise<Answer<Operation>> => {
  const commandId = commands.of(operationId, said);
  const answer = await server.asked(
    `/v1/operations/${encodeURIComponent(operationId)}/case`,
    (body) => operationSchema.parse(body),
    { ...said, commandId },
  );
  commands.ended(commandId, answer);
  return answer;
};

/** The same for what a refund that did not last leaves to do. */
export const actOnFollowUp = async (
  server: Server,
  operationId: string,
  said: SaidOfFollowUp,
  commands: KeptCommands,
): Promise<Answer<Operation>> => {
  const commandId = commands.of(operationId, said);
  const answer = await server.asked(
    `/v1/operations/${encodeURIComponent(operationId)}/follow-up`,
    (body) => operationSchema.parse(body),
    { ...said, commandId },
  );
  commands.ended(commandId, answer);
  return answer;
};

/** Why it was not done, for whoever asked for it; `null` where it was. */
export const whyNot = (
  answer: Answer<unknown>,
  words: { readonly unreachable: string; readonly refused: (status: number) => string },
): string | null => {
  if (answer.kind === 'answer') return null;
  if (answer.kind === 'unreachable') return words.unreachable;
  return answer.problem?.detail ?? words.refused(answer.status);
};
