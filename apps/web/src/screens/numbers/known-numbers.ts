import { numbersSchema, type Numbers } from '@holdfast/operation';

const storageKey = 'holdfast-numbers';

type Kept = { readonly subject: string; readonly days: number; readonly numbers: unknown };

const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' && value !== null && 'numbers' in value;

/**
 * The numbers of the last time that the server was reached, for whoever saw them then. Figures alone: no name, no order.
 * Another person's are never shown, and are overwritten.
 */
export const knownNumbers = {
  read(subject: string, days: number): Numbers | null {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? 'null');
      if (!isKept(kept) || kept.subject !== subject || kept.days !== days) return null;
      return numbersSchema.parse(kept.numbers);
    } catch {
      return null;
    }
  },
  write(subject: string, days: number, numbers: Numbers): void {
    try {
      localStorage.setItem(storageKey, JSON.stringify({ subject, days, numbers } satisfies Kept));
    } catch {
      // Without this storage nothing is shown without a connection; nothing that was saved depends on it.
    }
  },
};
