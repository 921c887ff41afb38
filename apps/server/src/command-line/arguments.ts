import { InvalidArgumentError } from 'commander';

/** One of these words. */
export const oneOf =
  <Word extends string>(allowed: readonly Word[]) =>
  (text: string): Word => {
    const word = allowed.find((one) => one === text);
    if (word === undefined) throw new InvalidArgumentError(`It must be one of ${allowed.join(', ')}.`);
    return word;
  };

export const emailIn = (text: string): string => {
  const email = text.trim().toLowerCase();
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email))
    throw new InvalidArgumentError('It must be an e-mail address.');
  return email;
};

export const textIn = (text: string): string => {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > 300)
    throw new InvalidArgumentError('It must have 1 to 300 characters.');
  return trimmed;
};

/** A whole number of these units, from zero on. */
export const wholeNumberIn =
  (most: number, unit: string) =>
  (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number of ${unit}, at most ${String(most)}.`);
  };

/** A day or a moment in ISO 8601; a day ends with it, in UTC. */
export const momentIn = (text: string): Date => {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const isMoment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text);
  const moment = new Date(isDay ? `${text}T23:59:59.999Z` : text);
  if ((isDay || isMoment) && !Number.isNaN(moment.getTime())) return moment;
  throw new InvalidArgumentError('It must be a day like 2027-03-31, or a moment like 2027-03-31T12:00:00Z.');
};
