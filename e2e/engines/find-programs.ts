import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findChromium } from '../setup/find-chromium.ts';
import type { WebKitPrograms } from './webkit-browser.ts';

/** An engine cannot be run here; the message says what to install. */
export class MissingProgram extends Error {}

const onThePath = (...names: readonly string[]): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((file) => existsSync(file));

const named = (variable: string): string | undefined => {
  const file = process.env[variable];
  if (file && !existsSync(file)) throw new MissingProgram(`${variable} names ${file}, which does not exist.`);
  return file || undefined;
};

const run = (command: string, ...given: readonly string[]): boolean => {
  process.stdout.write(`Installing: ${command} ${given.join(' ')}\n`);
  const result = spawnSync(command, given, {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 600_000,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return result.status === 0;
};

const mayInstall = (): boolean => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

/** What `look` finds, or finds once Debian's package manager has installed these packages. */
const findOrInstall = <Found>(
  engine: string,
  packages: readonly string[],
  look: () => Found | undefined,
  otherwise: string,
): Found => {
  const found = look();
  if (found !== undefined) return found;
  if (mayInstall()) {
    run('apt-get', 'update');
    run('apt-get', 'install', '-y', '--no-install-recommends', ...packages);
    const installed = look();
    if (installed !== undefined) return installed;
  }
  throw new MissingProgram(
    `${engine} was not found here. On Debian or Ubuntu install it with: ` +
      `sudo apt-get install ${packages.join(' ')}. ${otherwise}`,
  );
};

const miniBrowserPlaces = [
  '/usr/lib/*/webkit2gtk-4.*/MiniBrowser',
  '/usr/libexec/webkit2gtk-4.*/MiniBrowser',
  '/usr/lib/webkit2gtk-4.*/MiniBrowser',
];

/** Of several versions the newest of those that the driver can belong to: 4.1 and 4.0 are one library's two interfaces. */
const miniBrowser = (): string | undefined =>
  named('WEBKIT_MINIBROWSER_PATH') ??
  miniBrowserPlaces
    .flatMap((place) => globSync(place))
    .sort()
    .at(-1);

const webKit = (): WebKitPrograms | undefined => {
  const driver = named('WEBKIT_WEBDRIVER_PATH') ?? onThePath('WebKitWebDriver');
  const browser = miniBrowser();
  const xvfb = onThePath('Xvfb');
  const compiler = onThePath('cc', 'gcc', 'clang');
  if (!driver || !browser || !xvfb || !compiler) return undefined;
  return { driver, miniBrowser: browser, xvfb, compiler };
};

export const findFirefox = (): string =>
  findOrInstall(
    'Firefox',
    ['firefox-esr'],
    () => named('FIREFOX_PATH') ?? onThePath('firefox-esr', 'firefox'),
    'Elsewhere name it in FIREFOX_PATH.',
  );

export const findWebKit = (): WebKitPrograms =>
  findOrInstall(
    'WebKit (WebKitWebDriver, MiniBrowser, Xvfb and a C compiler)',
    ['webkit2gtk-driver', 'xvfb', 'gcc', 'libc6-dev'],
    webKit,
    'Elsewhere put WebKitWebDriver, Xvfb and cc on the PATH and name MiniBrowser in WEBKIT_MINIBROWSER_PATH; it runs on Linux alone.',
  );

export const findOurChromium = (): string => {
  try {
    return findChromium();
  } catch (error) {
    throw new MissingProgram(error instanceof Error ? error.message : 'No Chromium was found.');
  }
};
