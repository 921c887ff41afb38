import { mintCommandId, operationSchema, type CaseAct, type Operation } from '@holdfast/operation';
import type { Answer, Server } from './server.ts';

type WithoutId<Act> = Act extends CaseAct ? Omit<Act, 'commandId'> : never;
export type SaidOfCase = WithoutId<CaseAct>;

/** One act on a case. It carries its own command ID, so that an answer that is lost leaves nothing done twice. */
export const actOnCase = (
  server: Server,
  operationId: string,
  said: SaidOfCase,
): Promise<Answer<Operation>> =>
  server.asked(
    `/v1/operations/${encodeURIComponent(operationId)}/case`,
    (body) => operationSchema.parse(body),
    {
      ...said,
      commandId: mintCommandId(Date.now(), crypto.getRandomValues(new Uint8Array(10))),
    },
  );

/** Why it was not done, for whoever asked for it; `null` where it was. */
export const whyNot = (
  answer: Answer<unknown>,
  words: { readonly unreachable: string; readonly refused: (status: number) => string },
): string | null => {
  if (answer.kind === 'answer') return null;
  if (answer.kind === 'unreachable') return words.unreachable;
  return answer.problem?.detail ?? words.refused(answer.status);
};
