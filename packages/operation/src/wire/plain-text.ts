import { z } from 'zod';

const wellFormed = (text: string): boolean => !text.includes('\u0000') && !/[\uD800-\uDFFF]/u.test(text);

/** Text that people typed: no NUL and no lone surrogate, since neither PostgreSQL nor a provider keeps them. */
export const plainText = (maximumLength: number): z.ZodString =>
  z.string().max(maximumLength).refine(wellFormed, 'must not contain NUL or half of a surrogate pair');

/** IDs from outside (orders, payments, tickets): compared byte by byte, never folded. */
export const outsideId = plainText(200).min(1);
