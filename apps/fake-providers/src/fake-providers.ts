import { z } from 'zod';
import { startProgram } from './program.ts';

const environment = z.object({
  FAKE_PROVIDERS_PORT: z.coerce.number().int().min(0).max(65_535).default(4782),
  /** Whoever starts this program as a child can have it end with them, even when they are killed. */
  FAKE_PROVIDERS_STOP_WITH_STDIN: z.enum(['on', 'off']).default('off'),
});

const fail = (problem: string): never => {
  process.stderr.write(`fake-providers: ${problem}\n`);
  process.exit(1);
};

const read = environment.safeParse(process.env);
if (!read.success)
  fail(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
else {
  const program = await startProgram(read.data.FAKE_PROVIDERS_PORT).catch((problem: unknown) =>
    fail(problem instanceof Error ? problem.message : String(problem)),
  );
  const stop = (): void => {
    void program.stop().then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (read.data.FAKE_PROVIDERS_STOP_WITH_STDIN === 'on') {
    process.stdin.on('end', stop);
    process.stdin.resume();
  }
  process.stdout.write(`${JSON.stringify({ event: 'listening', port: program.port })}\n`);
}
