import type { KnownFacts, Operation } from '@holdfast/operation';

/** The words that settled it, each under its own writer's name. A first word that still waits has settled nothing. */
export const settledByPeople = (
  resolution: Operation['resolution'],
  clock: (at: string) => string,
): NonNullable<KnownFacts['settledByPeople']> | null => {
  if (resolution === null || resolution.waiting) return null;
  const { by, note, at, second, outcome } = resolution;
  return {
    outcome,
    words: [
      { name: by.name, note, atText: at === undefined ? null : clock(at) },
      ...(second === undefined
        ? []
        : [{ name: second.by.name, note: second.note, atText: clock(second.at) }]),
    ],
  };
};
