import type { Answer, PretendPostgres } from '../src/postgres/pretend-postgres.ts';
import type { DatabaseWorld } from '../src/world/history-database.ts';

/** One thing that was said to the pretended PostgreSQL, and what it answered: rows, or PostgreSQL's code of a trouble. */
export type Said =
  | { readonly what: 'begin'; readonly nowMs: number }
  | { readonly what: 'commit' | 'rollback' }
  | {
      readonly what: 'ask';
      readonly text: string;
      readonly parameters: readonly unknown[];
      readonly answer: Answer | { readonly code: string };
    };

const codeOf = (trouble: unknown): string =>
  trouble instanceof Error && 'code' in trouble ? String(trouble.code) : String(trouble);

/** Writes down all that is said to a pretended PostgreSQL from the last time on that it was put to its beginning. */
export const recordTalk = () => {
  let talk: Said[] = [];
  let timesPutBack = 0;
  const watched = (postgres: PretendPostgres, world: DatabaseWorld): PretendPostgres => ({
    ...postgres,
    begin: () => {
      const open = postgres.begin();
      talk.push({ what: 'begin', nowMs: world.nowMs() });
      return {
        ask: (text, parameters) => {
          try {
            const answer = open.ask(text, parameters);
            talk.push({ what: 'ask', text, parameters, answer });
            return answer;
          } catch (trouble) {
            talk.push({ what: 'ask', text, parameters, answer: { code: codeOf(trouble) } });
            throw trouble;
          }
        },
        commit: () => {
          talk.push({ what: 'commit' });
          return open.commit();
        },
        rollback: () => {
          talk.push({ what: 'rollback' });
          open.rollback();
        },
      };
    },
    restore: (backup) => {
      timesPutBack += 1;
      talk = [];
      postgres.restore(backup);
    },
  });
  return { watched, talk: (): readonly Said[] => talk, timesPutBack: () => timesPutBack };
};
