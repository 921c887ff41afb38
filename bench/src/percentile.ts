/** The value below or at which `share` (0 to 1) of the values lie: the nearest rank, so always one that was measured. */
export const percentile = (values: readonly number[], share: number): number => {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((one, other) => one - other);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[Math.min(rank, sorted.length) - 1] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => percentile(values, 0.5);
