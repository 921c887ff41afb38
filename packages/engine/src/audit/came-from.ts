import type { AuditData } from './audit-chain.ts';

export const deviceFamilies = [
  'iphone',
  'ipad',
  'android-phone',
  'android-tablet',
  'windows',
  'mac',
  'linux',
  'chromebook',
  'program',
  'unknown',
] as const;
export type DeviceFamily = (typeof deviceFamilies)[number];

/** Where a word came from. A session's ID, never its token: what it is good for is telling two devices apart. */
export type CameFrom =
  | { readonly by: 'session'; readonly sessionId: string; readonly device: DeviceFamily }
  | { readonly by: 'key'; readonly keyId: string };

/** As an entry of the audit says it. */
export const auditOfOrigin = (from: CameFrom | undefined): AuditData => {
  if (from === undefined) return {};
  return from.by === 'session' ? { session: from.sessionId, device: from.device } : { key: from.keyId };
};
