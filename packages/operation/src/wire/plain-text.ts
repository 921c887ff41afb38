import * as z from 'zod/mini';

const wellFormed = (text: string): boolean => !text.includes('\u0000') && !/[\uD800-\uDFFF]/u.test(text);

/** Text that people typed: no NUL and no lone surrogate, since neither PostgreSQL nor a provider keeps them. */
export const plainText = (maximumLength: number): z.ZodMiniString<string> =>
  z
    .string()
    .check(
      z.maxLength(maximumLength),
      z.refine(wellFormed, 'must not contain NUL or half of a surrogate pair'),
    );

/** The same where leaving it empty would say nothing. */
export const someText = (maximumLength: number): z.ZodMiniString<string> =>
  plainText(maximumLength).check(z.minLength(1));

/** IDs from outside (orders, payments, tickets): compared byte by byte, never folded. */
export const outsideId = someText(200);
