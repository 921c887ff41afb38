import type { Readiness } from '../http/routes/system-routes.ts';
import type { AccessStore } from '../sign-in/access-store.ts';

/** A database that takes longer for a question like these is not there for anybody. */
const readinessMs = 3_000;

/** Throws where the database does not answer in time. */
const inTime = async <Answer>(question: Promise<Answer>): Promise<Answer> => {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error('no answer in time'));
    }, readinessMs);
  });
  try {
    return await Promise.race([question, tooLong]);
  } finally {
    clearTimeout(timer);
  }
};

/** @param schemaVersion this program's own */
export const readinessOf =
  (store: Pick<AccessStore, 'schemaVersion' | 'takesWrites'>, schemaVersion: number): Readiness =>
  async () => {
    try {
      const [version, takesWrites] = await inTime(Promise.all([store.schemaVersion(), store.takesWrites()]));
      if (version !== schemaVersion)
        return { ready: false, because: "The database's schema is not this program's." };
      if (!takesWrites) return { ready: false, because: 'The database takes no writes at the moment.' };
      return { ready: true };
    } catch {
      return { ready: false, because: 'The database does not answer.' };
    }
  };

/** One that takes no writes answers all the same: what is only read goes on. */
export const isDatabaseAnswering = (store: Pick<AccessStore, 'schemaVersion'>) => (): Promise<boolean> =>
  inTime(store.schemaVersion()).then(
    () => true,
    () => false,
  );
