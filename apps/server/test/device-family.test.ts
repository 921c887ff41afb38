import { describe, expect, it } from 'vitest';
import { deviceFamilyOf } from '../src/sign-in/device-family.ts';

const webkit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

describe('the kind of device in the audit', () => {
  // Red when: a tablet is taken for a phone, or what an agent says is kept as it is.
  it.each([
    [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${webkit} Mobile/15E148`, 'iphone'],
    [`Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) ${webkit} Mobile/15E148`, 'ipad'],
    ['Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/140.0 Mobile Safari/537.36', 'android-phone'],
    ['Mozilla/5.0 (Linux; Android 15; Tab S10) Chrome/140.0 Safari/537.36', 'android-tablet'],
    ['Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) Chrome/140.0 Safari/537.36', 'chromebook'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0', 'windows'],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit}`, 'mac'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'linux'],
    ['=HYPERLINK("x") Mara Lind', 'program'],
    ['', 'unknown'],
    [null, 'unknown'],
  ])('of %s is %s', (agent, family) => {
    expect(deviceFamilyOf(agent)).toBe(family);
  });
});
