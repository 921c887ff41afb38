import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

/** What of a provider account must not be readable in the database. */
export type AccountSecrets = { readonly secretKey: string; readonly webhookSecrets: readonly string[] };

/** What the secrets are bound to: sealed for one organisation's account, they open for no other. */
export type SealedFor = {
  readonly organisationId: string;
  readonly provider: string;
  readonly accountId: string;
};

const secretsSchema = z.object({ secretKey: z.string().min(1), webhookSecrets: z.array(z.string().min(1)) });

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export const sealingKeyFile = (dataFolder: string): string => path.join(dataFolder, 'secrets-key');

const decoded = (text: string): Uint8Array | undefined => {
  const key = Buffer.from(text.trim(), 'base64');
  return key.length === keyBytes ? key : undefined;
};

/**
 * The key that seals and opens: the environment's where it is given (several machines on one database share it), else
 * the data folder's. `undefined`: there is none yet, so nothing can have been sealed here.
 */
export const readSealingKey = async (
  dataFolder: string,
  fromEnvironment: string | undefined,
): Promise<Uint8Array | undefined> =>
  fromEnvironment === undefined
    ? decoded(await readFile(sealingKeyFile(dataFolder), 'utf8').catch(() => ''))
    : decoded(fromEnvironment);

/** As `readSealingKey`; makes the data folder's key where there is none. Of two processes at once one makes it. */
export const makeSealingKey = async (
  dataFolder: string,
  fromEnvironment: string | undefined,
): Promise<Uint8Array> => {
  const known = await readSealingKey(dataFolder, fromEnvironment);
  if (known !== undefined) return known;
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const draft = `${sealingKeyFile(dataFolder)}.${String(process.pid)}`;
  await writeFile(draft, randomBytes(keyBytes).toString('base64'), { mode: 0o600 });
  await link(draft, sealingKeyFile(dataFolder)).catch(() => undefined);
  await rm(draft, { force: true });
  const made = await readSealingKey(dataFolder, undefined);
  if (made === undefined) throw new Error(`${sealingKeyFile(dataFolder)} holds no key`);
  return made;
};

/** AES-256-GCM, bound to what it is of; nonce, tag and contents in one. */
export const sealText = (key: Uint8Array, boundTo: readonly string[], text: string): Uint8Array => {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(JSON.stringify(boundTo)));
  const contents = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), contents]);
};

/** `undefined` where this key, or what it is bound to, is not what it was sealed with. */
export const openText = (
  key: Uint8Array,
  boundTo: readonly string[],
  sealed: Uint8Array,
): string | undefined => {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(JSON.stringify(boundTo)));
    decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([
      decipher.update(sealed.subarray(nonceBytes + tagBytes)),
      decipher.final(),
    ]).toString('utf8');
  } catch {
    return undefined;
  }
};

const boundTo = ({ organisationId, provider, accountId }: SealedFor): readonly string[] => [
  organisationId,
  provider,
  accountId,
];

export const sealSecrets = (key: Uint8Array, subject: SealedFor, secrets: AccountSecrets): Uint8Array =>
  sealText(key, boundTo(subject), JSON.stringify(secrets));

/** `undefined` where this key, or this account, is not what they were sealed with. */
export const openSecrets = (
  key: Uint8Array,
  subject: SealedFor,
  sealed: Uint8Array,
): AccountSecrets | undefined => {
  const text = openText(key, boundTo(subject), sealed);
  if (text === undefined) return undefined;
  const read = secretsSchema.safeParse(JSON.parse(text));
  return read.success ? read.data : undefined;
};
