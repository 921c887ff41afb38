import { setTimeout as pause } from 'node:timers/promises';

const patienceMs = 30_000;
/** Leaves the processor to the program that is being waited for. */
const betweenMs = 5;

/** Asks again and again until there is an answer: waiting for what is true, not for a time to pass. */
export async function until<Value>(ask: () => Promise<Value | null> | Value | null): Promise<Value> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    const value = await ask();
    if (value !== null && value !== false) return value;
    await pause(betweenMs);
  }
  throw new Error(`Not so within ${patienceMs} ms: ${ask.toString()}`);
}
