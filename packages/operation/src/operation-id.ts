/**
 * Operation and command IDs: UUIDv7 in canonical lower-case text (RFC 9562), minted by whoever starts the
 * intent. The ID belongs to the business action, never to a network attempt.
 */
export type OperationId = string & { readonly __brand: 'OperationId' };
export type CommandId = string & { readonly __brand: 'CommandId' };

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const canonical = (text: string): string | undefined => {
  const folded = text.toLowerCase();
  return uuidV7.test(folded) ? folded : undefined;
};

/** Folds upper case to lower; anything that is not a UUIDv7 is `undefined`. */
export const parseOperationId = (text: string): OperationId | undefined =>
  canonical(text) as OperationId | undefined;

export const parseCommandId = (text: string): CommandId | undefined =>
  canonical(text) as CommandId | undefined;

/** The commands of a proposal carry the operation's own ID as their command ID. */
export const proposalCommandId = (id: OperationId): CommandId => id as string as CommandId;

/**
 * Mints a UUIDv7.
 * @param nowMs milliseconds since the Unix epoch (only its order matters, so a wrong device clock is harmless)
 * @param random at least 10 bytes from a cryptographic source; chance is a parameter, never taken here
 */
export const mintOperationId = (nowMs: number, random: Uint8Array): OperationId => {
  if (random.length < 10) throw new Error('mintOperationId needs 10 random bytes');
  if (!Number.isSafeInteger(nowMs) || nowMs < 0 || nowMs >= 2 ** 48) throw new Error('nowMs is out of range');
  const time = nowMs.toString(16).padStart(12, '0');
  const bytes = Array.from(random.slice(0, 10));
  bytes[0] = ((bytes[0] ?? 0) & 0x0f) | 0x70;
  bytes[2] = ((bytes[2] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${time.slice(0, 8)}-${time.slice(8)}-${hex.slice(0, 4)}-${hex.slice(4, 8)}-${hex.slice(8)}` as OperationId;
};

export const mintCommandId = (nowMs: number, random: Uint8Array): CommandId =>
  mintOperationId(nowMs, random) as string as CommandId;
