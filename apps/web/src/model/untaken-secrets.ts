/** A secret that is told once, and whose it is. */
export type UntakenSecret = { readonly whose: string; readonly secret: string };

/** A further one stands beside those that nobody has said to have copied: no secret is lost to the next. */
export const withSecret = (
  untaken: readonly UntakenSecret[],
  told: UntakenSecret,
): readonly UntakenSecret[] => [...untaken, told];

export const withoutSecret = (untaken: readonly UntakenSecret[], secret: string): readonly UntakenSecret[] =>
  untaken.filter((one) => one.secret !== secret);
