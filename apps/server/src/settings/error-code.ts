/** The code of an error or of what caused it: an SQLSTATE, a system error or one of the driver's. Empty without one. */
export const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause === undefined ? '' : codeOf(error.cause);
};

/** The innermost cause: where a library wraps an error, this is the one that happened. */
export const rootOf = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
