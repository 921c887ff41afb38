import type { CaseAct, FollowUpAct } from '@holdfast/operation';
import type { Answer } from './server.ts';

type WithoutId<Act> = Act extends CaseAct ? Omit<Act, 'commandId'> : never;
export type SaidOfCase = WithoutId<CaseAct>;
type WithoutCommand<Act> = Act extends FollowUpAct ? Omit<Act, 'commandId'> : never;
export type SaidOfFollowUp = WithoutCommand<FollowUpAct>;

export type KeptCommands = {
  /** The ID under which this is sent: the same until it is answered. */
  readonly of: (operationId: string, said: SaidOfCase | SaidOfFollowUp) => string;
  /** What came of sending it. Without an answer that stands it may have been done: its ID is kept. */
  readonly ended: (commandId: string, answer: Answer<unknown>) => void;
  /** The text of a comment was emptied: what is written next is another. */
  readonly commentBegunAnew: () => void;
};

/** A text is one comment while it is written, however it is changed; every other act is what it says. */
const keyOf = (operationId: string, said: SaidOfCase | SaidOfFollowUp): string =>
  `${said.act} ${operationId} ${said.act === 'comment' ? '' : JSON.stringify(said)}`;

/** 429 and 5xx do not say what became of it. */
const isAnswered = (answer: Answer<unknown>): boolean =>
  answer.kind === 'answer' ||
  (answer.kind === 'refused' && answer.status >= 400 && answer.status < 500 && answer.status !== 429);

/** Commands that are not answered yet, so that pressing again after a lost answer does nothing twice. */
export const keptCommands = (mint: () => string): KeptCommands => {
  const kept = new Map<string, string>();
  return {
    of: (operationId, said) => {
      const known = kept.get(keyOf(operationId, said));
      if (known !== undefined) return known;
      const minted = mint();
      kept.set(keyOf(operationId, said), minted);
      return minted;
    },
    ended: (commandId, answer) => {
      if (!isAnswered(answer)) return;
      for (const [key, id] of kept) if (id === commandId) kept.delete(key);
    },
    commentBegunAnew: () => {
      for (const key of kept.keys()) if (key.startsWith('comment ')) kept.delete(key);
    },
  };
};
