/** Polls for a condition with a deadline; never sleeps for a fixed time. */
export const eventually = async <Value>(
  what: string,
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
  deadlineMs = 60_000,
): Promise<Value> => {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`${what}: not seen within ${String(deadlineMs)} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};
