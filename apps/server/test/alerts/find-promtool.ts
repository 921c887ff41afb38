import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const onThePath = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'promtool'))
    .find((file) => existsSync(file));

const unpacked = join(tmpdir(), 'holdfast-promtool');

const run = (command: string, commandArguments: readonly string[]): void => {
  const done = spawnSync(command, commandArguments, { cwd: unpacked, encoding: 'utf8', timeout: 110_000 });
  if (done.status !== 0)
    throw new Error(`${command} ${commandArguments.join(' ')} failed: ${done.error?.message ?? done.stderr}`);
};

/**
 * Prometheus' own checker of rules: one on the PATH, or the one in Debian's package, unpacked beside nothing that would
 * start a Prometheus.
 */
export const findPromtool = (): string => {
  const file = join(unpacked, 'usr', 'bin', 'promtool');
  const found = onThePath() ?? (existsSync(file) ? file : undefined);
  if (found !== undefined) return found;
  mkdirSync(unpacked, { recursive: true });
  try {
    run('apt-get', ['download', 'prometheus']);
  } catch {
    run('apt-get', ['update']);
    run('apt-get', ['download', 'prometheus']);
  }
  run('sh', ['-c', 'dpkg-deb -x prometheus_*.deb .']);
  if (!existsSync(file)) throw new Error('Install promtool (it comes with Prometheus) and start again.');
  return file;
};
