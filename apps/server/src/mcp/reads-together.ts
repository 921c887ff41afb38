import type { Engine, Principal } from '@holdfast/engine';
import type { Operation } from '@holdfast/operation';

type LookUp = Engine['lookUp'];
type Known = Awaited<ReturnType<LookUp>>;

/** How an operation is read by those who wait for one. */
export type ReadTogether = (lookUp: LookUp, who: Principal, operationId: string) => Promise<Operation | null>;

/** A busy organisation changes all the time: those who wait in one name look no more often than this. */
const restMs = 250;

const rest = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/**
 * Those who wait in one name look together: whatever changes in their organisation, and however many they are, it is
 * one read for all of them.
 */
export const readsTogether = (): ReadTogether => {
  const gathering = new Map<string, { readonly ids: Set<string>; readonly known: Promise<Known> }>();
  const resting = new Map<string, Promise<void>>();

  const gather = (lookUp: LookUp, who: Principal, name: string) => {
    const ids = new Set<string>();
    const known = (resting.get(name) ?? rest(0)).then(() => {
      gathering.delete(name);
      const rested = rest(restMs).then(() => {
        if (resting.get(name) === rested) resting.delete(name);
      });
      resting.set(name, rested);
      return lookUp(who, [...ids]);
    });
    const together = { ids, known };
    gathering.set(name, together);
    return together;
  };

  return async (lookUp, who, operationId) => {
    // Who has other rights by now is another reader.
    const name = JSON.stringify(who);
    const { ids, known } = gathering.get(name) ?? gather(lookUp, who, name);
    ids.add(operationId);
    return (await known).operations[operationId] ?? null;
  };
};
