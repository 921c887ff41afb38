/** 53: it has no more room, memory or connections. 25006: it takes no writes now, as while a standby takes over. */
const awayCodes =
  /^(08|57P0|53|25006)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|CONNECT_TIMEOUT|CONNECTION_(CLOSED|ENDED|DESTROYED))/;

/** The SQLSTATE, or the driver's own code, of whatever was thrown: drizzle wraps what the driver says. */
export const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return codeOf(error.cause);
};

/** True where the database cannot be reached or cannot serve anybody just now: trying each part alone would help nobody. */
export const isDatabaseAway = (error: unknown): boolean => awayCodes.test(codeOf(error) ?? '');

const closedCodes = /^(ECONNRESET|EPIPE|ETIMEDOUT|CONNECTION_(CLOSED|ENDED|DESTROYED))/;

/** True where the connection itself is gone or is being closed by the database: nothing more can be sent over it. */
export const isConnectionGone = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if ('severity' in error && (error.severity === 'FATAL' || error.severity === 'PANIC')) return true;
  if ('code' in error && typeof error.code === 'string') return closedCodes.test(error.code);
  return isConnectionGone(error.cause);
};
