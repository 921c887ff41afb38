import { readConfiguration } from './configuration.ts';
import { type Program, startProgram } from './program.ts';

function fail(problem: string): never {
  process.stderr.write(`fake-stripe: ${problem}\n`);
  process.exit(1);
}

const read = readConfiguration(process.env);
if ('problem' in read) fail(read.problem);

const failWith: (problem: unknown) => never = (problem) =>
  fail(problem instanceof Error ? problem.message : String(problem));

let program: Program;
try {
  program = await startProgram(read.configuration, failWith);
} catch (problem) {
  failWith(problem);
}

let stopping = false;
async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  await program.stop();
  process.exit(0);
}

process.on('SIGTERM', () => void stop());
process.on('SIGINT', () => void stop());
if (read.configuration.stopsWithStandardInput) {
  process.stdin.on('end', () => void stop());
  process.stdin.resume();
}

process.stdout.write(`${JSON.stringify({ event: 'listening', port: program.port })}\n`);
