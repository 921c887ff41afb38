import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** The Chromium named by CHROMIUM_PATH, one on the PATH, or Playwright's own. @throws when there is none */
export const findChromium = (): string => {
  const onThePath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)));
  const candidates = [process.env['CHROMIUM_PATH'], ...onThePath, chromium.executablePath()];
  const found = candidates.find((file) => file !== undefined && file !== '' && existsSync(file));
  if (found === undefined)
    throw new Error('no Chromium found: name one in CHROMIUM_PATH, or run the tests once, which install it');
  return found;
};
