import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from '@playwright/test';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

const onThePath = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((file) => existsSync(file));

const playwrightsOwn = (): string | undefined => {
  const file = chromium.executablePath();
  return file && existsSync(file) ? file : undefined;
};

const run = (command: string, commandArguments: readonly string[], timeoutMs: number): boolean => {
  process.stdout.write(`Installing a browser for the tests: ${command} ${commandArguments.join(' ')}\n`);
  const result = spawnSync(command, commandArguments, {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: timeoutMs,
    env: {
      ...process.env,
      PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '15000',
      DEBIAN_FRONTEND: 'noninteractive',
    },
  });
  return result.status === 0;
};

/**
 * A Chromium to test with: the one named by CHROMIUM_PATH, one on the PATH, Playwright's own, or one installed now
 * (Playwright's download, else Debian's package manager).
 */
export const findChromium = (): string => {
  const named = process.env['CHROMIUM_PATH'];
  if (named) {
    if (!existsSync(named)) throw new Error(`CHROMIUM_PATH names ${named}, which does not exist`);
    return named;
  }
  const found = onThePath() ?? playwrightsOwn();
  if (found) return found;
  if (run('playwright', ['install', 'chromium'], 240_000)) {
    const own = playwrightsOwn();
    if (own) return own;
  }
  if (existsSync('/usr/bin/apt-get')) {
    run('apt-get', ['update'], 240_000);
    run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], 600_000);
    const installed = onThePath();
    if (installed) return installed;
  }
  throw new Error('No Chromium found and none could be installed. Install one, or name it in CHROMIUM_PATH.');
};
