import * as z from 'zod/mini';

/** Base64url without padding, as WebAuthn's JSON writes bytes. */
const bytesText = (mostCharacters: number): z.ZodMiniString<string> =>
  z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(mostCharacters),
      z.regex(/^[A-Za-z0-9_-]+$/, 'must be base64url without padding'),
    );

/** What a passkey answered when it signed an approval, with the two times that are part of what was signed. */
export const assertionSchema = z.object({
  /** WebAuthn allows 1,023 bytes. */
  credentialId: bytesText(1_364),
  authenticatorData: bytesText(4_096),
  clientDataJSON: bytesText(4_096),
  /** The largest kind of signature that authenticators make has 4,627 bytes. */
  signature: bytesText(6_400),
  /** The device's clock: shown, never relied on. */
  signedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});
export type Assertion = z.infer<typeof assertionSchema>;
