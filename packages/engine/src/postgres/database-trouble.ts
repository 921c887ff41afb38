const awayCodes =
  /^(08|57P0|53)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|CONNECT_TIMEOUT|CONNECTION_(CLOSED|ENDED|DESTROYED))/;

/** The SQLSTATE, or the driver's own code, of whatever was thrown: drizzle wraps what the driver says. */
export const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return codeOf(error.cause);
};

/** True where the database could not be reached or is shutting down: trying each part alone would help nobody. */
export const isDatabaseAway = (error: unknown): boolean => awayCodes.test(codeOf(error) ?? '');
