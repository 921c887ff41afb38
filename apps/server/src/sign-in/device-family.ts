import type { DeviceFamily } from '@holdfast/engine';

const android = (agent: string): DeviceFamily =>
  /\bMobile\b/.test(agent) ? 'android-phone' : 'android-tablet';

/**
 * What kind of device a browser says it is: one word of a closed list for the audit, never the agent's text itself, which
 * tells too much of a person and may be anything. An iPad that asks for desktop pages says that it is a Mac.
 */
export const deviceFamilyOf = (userAgent: string | null): DeviceFamily => {
  if (userAgent === null || userAgent === '') return 'unknown';
  if (/\biPhone\b|\biPod\b/.test(userAgent)) return 'iphone';
  if (/\biPad\b/.test(userAgent)) return 'ipad';
  if (/\bAndroid\b/.test(userAgent)) return android(userAgent);
  if (/\bCrOS\b/.test(userAgent)) return 'chromebook';
  if (/\bWindows\b/.test(userAgent)) return 'windows';
  if (/\bMacintosh\b/.test(userAgent)) return 'mac';
  if (/\bLinux\b|\bX11\b/.test(userAgent)) return 'linux';
  return 'program';
};
