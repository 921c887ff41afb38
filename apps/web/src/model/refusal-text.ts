import { words } from '../messages/messages.ts';
import type { Answer } from './server.ts';

/** What to say where an answer is none: the server's own sentence where it gave one. */
export const refusalText = (answer: Exclude<Answer<unknown>, { kind: 'answer' }>): string =>
  answer.kind === 'unreachable'
    ? words.loading.unreachable
    : (answer.problem?.detail ?? words.loading.status(answer.status));
