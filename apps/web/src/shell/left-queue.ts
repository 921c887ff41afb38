import { placePaths } from './places.ts';

let search = '';

/** The queue as it is narrowed now: whoever opens a case from it comes back to the same list. */
export const rememberQueue = (filters: string): void => {
  search = filters;
};

/** The queue at the address that it was left at; the whole one where it was not open in this tab. */
export const queuePath = (): string =>
  search === '' ? placePaths.uncertain : `${placePaths.uncertain}?${search}`;
