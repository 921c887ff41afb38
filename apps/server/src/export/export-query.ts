import { isTimeZone } from '@holdfast/operation';
import { z } from 'zod';

/** Whose clock an export's times are written by. */
export const timeZone = z
  .string()
  .max(60)
  .refine(isTimeZone, 'must be a time zone like Europe/Berlin or UTC');

/** From where an export goes on: the cursor of the last line that arrived whole. */
export const after = z.string().max(1_000);
